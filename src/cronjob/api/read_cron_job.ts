import type { Loose } from "../../base/loose.ts";
import { parseTime } from "../../base/epoch_ms.ts";
import type { DeepReadonly } from "../../kube/object.ts";
import { SCHEDULES, SUSPEND, TRIGGER } from "./annotations.ts";
import { readBackfill, readBackfillProgress } from "./backfill.ts";
import type { CronJob, RecordedStatus } from "./cron_job.ts";
import type { Flavour } from "./flavour.ts";
import { readLostRecord } from "./lost_record.ts";
import { readObservedSchedules } from "./observed_schedules.ts";
import { recordedText, recordOf } from "./records.ts";
import { readSettings } from "./read_settings.ts";
import { resumeMark } from "./resume_mark.ts";
import { readFinishTimes, readSchedule } from "./schedule_reading.ts";
import { annotationWrittenAt, lastScheduleWrittenAt, specWrittenAt } from "./spec_writes.ts";
import { stewardshipOf } from "./stewardship.ts";
import type { StoredCronJob } from "./stored_cron_job.ts";
import type { CronJobObject, CronJobStatus, FailedRun, Stretch } from "./types.ts";
import { zoneOf } from "./zone.ts";

/**
 * Reads one version of a CronJob at the door of the cache.
 *
 * @param known its `resumeMark`, where the object is kept without the job template that the mark covers
 */
export function readCronJob(
  flavour: Flavour,
  object: DeepReadonly<CronJobObject>,
  known: Loose<Partial<Pick<CronJob, "resumeMark">>> = {},
): CronJob {
  return new CronJobVersion(flavour, object, known);
}

/** How each part is read from others: when it is first asked for. A version that no decision is about costs nothing. */
const PARTS: { readonly [Part in Exclude<keyof CronJob, keyof StoredCronJob>]: Reader<Part> } = {
  recorded: ({ status }) => readStatus(status),
  settings: ({ flavour, object }) => readSettings(flavour, object),
  schedule: ({ settings }) => readSchedule(settings),
  finishTimes: (cronJob) => readFinishTimes(cronJob.settings, zoneOf(cronJob)),
  stewardship: ({ flavour, object }) => stewardshipOf(flavour, object),
  createdAt: ({ metadata }) => parseTime(metadata.creationTimestamp),
  isBeingDeleted: ({ metadata }) => metadata.deletionTimestamp !== undefined,
  requestedTrigger: ({ metadata }) => metadata.annotations?.[TRIGGER],
  answeredTrigger: (cronJob) => recordOf(cronJob, "lastTrigger"),
  specWrittenAt: ({ object }) => specWrittenAt(object),
  scheduleWrittenAt: (cronJob) =>
    hasAnnotatedSchedules(cronJob)
      ? annotationWrittenAt(cronJob.object, SCHEDULES)
      : specWrittenAt(cronJob.object, ["schedule", "schedules", "timeZone", "exclude", "onExcluded"]),
  scheduleEditedAt: (cronJob) =>
    hasAnnotatedSchedules(cronJob) ? annotationWrittenAt(cronJob.object, SCHEDULES) : cronJob.specWrittenAt,
  pauseWrittenAt: ({ stewardship, object }) =>
    stewardship.suspendedIn === "spec"
      ? specWrittenAt(object, ["suspend", "pause"])
      : annotationWrittenAt(object, SUSPEND),
  resumedAt: ({ stewardship, object }) =>
    stewardship.suspendedIn === "spec"
      ? specWrittenAt(object, ["suspend", "pause"], "jobTemplate")
      : annotationWrittenAt(object, SUSPEND),
  lastScheduleWrittenAt: ({ object }) => lastScheduleWrittenAt(object),
  passedOver: (cronJob) => readStretches(cronJob, "passedOver"),
  waiting: (cronJob) => readStretches(cronJob, "waiting"),
  lastMissedTime: (cronJob) => recordOf(cronJob, "lastMissedTime"),
  observedSchedules: readObservedSchedules,
  recordedFailures: (cronJob) => recordOf(cronJob, "failuresInARow"),
  lostRecord: readLostRecord,
  recordedFailedRuns: readFailedRuns,
  resumeMark: ({ flavour, object }) => resumeMark(flavour, object),
  backfill: ({ flavour, object }) => readBackfill(flavour, object),
  recordedBackfill: readBackfillProgress,
};

type Reader<Part extends keyof CronJob> = (cronJob: CronJob) => CronJob[Part];

interface CronJobVersion extends CronJob {}

class CronJobVersion {
  readonly #known: Record<string, unknown>;

  static {
    for (const [part, read] of Object.entries(PARTS)) {
      Object.defineProperty(this.prototype, part, {
        get(this: CronJobVersion) {
          return this.#known[part] ??= read(this);
        },
      });
    }
  }

  constructor(flavour: Flavour, object: DeepReadonly<CronJobObject>, known: Loose<Partial<CronJob>>) {
    Object.assign(this, { flavour, object, metadata: object.metadata, status: object.status ?? {} });
    this.#known = { ...known };
  }
}

function readStretches(cronJob: CronJob, field: "passedOver" | "waiting"): readonly Stretch[] {
  return (recordOf(cronJob, field) ?? []).filter(({ after, before }) => after < before);
}

/** Returns the recorded failed runs as they are written; a value that is no such record is left out. */
function readFailedRuns(cronJob: CronJob): readonly DeepReadonly<FailedRun>[] {
  const recorded = recordedText(cronJob, "failedRuns");
  if (!Array.isArray(recorded)) return [];
  return (recorded as readonly (Partial<FailedRun> | null)[]).filter((run): run is FailedRun =>
    typeof run?.jobUid === "string" && typeof run.jobName === "string" && typeof run.terminated === "object"
  );
}

/** Of several schedules, annotations say since when they hold. */
function hasAnnotatedSchedules({ flavour, settings }: CronJob): boolean {
  return flavour.extrasIn === "annotations" && settings.schedules.length > 1;
}

/** As a list item of Kubernetes' own kinds does not say what it is, and the tutorial's kind may lack a spec. */
export function withType(flavour: Flavour, object: CronJobObject): CronJobObject {
  const { apiVersion, resource } = flavour;
  return { ...object, spec: object.spec ?? {}, apiVersion, kind: resource.kind };
}

/** Reasons of the condition `Ready` after which `onResume: None` drops what came due. */
const RESTING = ["Suspended", "Paused"];

function readStatus(status: DeepReadonly<CronJobStatus>): RecordedStatus {
  // Another version may have written null.
  const conditions = status.conditions ?? [];
  const ready = conditions.find(({ type }) => type === "Ready");
  const resting = conditions.find(({ type, status }) => type === "Suspended" && status === "True");
  const followed = conditions.find(({ type, status }) => type === "Suspended" && status === "False");
  const followedSince = parseTime(followed?.lastTransitionTime) ?? -Infinity;
  // The first status says nothing of the time before it.
  const wasSuspended = conditions.some(({ lastTransitionTime }) => parseTime(lastTransitionTime)! < followedSince);
  const isFor = (reasons: readonly string[]) => ready !== undefined && reasons.includes(ready.reason);
  const times = (status.recentRuns ?? []).map(({ scheduledTime }) => parseTime(scheduledTime));
  return {
    lastScheduleTime: parseTime(status.lastScheduleTime),
    lastSuccessfulTime: parseTime(status.lastSuccessfulTime),
    lastFailureTime: parseTime(status.lastFailureTime),
    queuedTime: parseTime(status.queuedScheduleTime),
    recordedTimes: times.filter((time) => time !== undefined),
    schedule: status.schedule,
    scheduleSince: parseTime(status.schedule?.since),
    wasResting: isFor(RESTING),
    restingSince: parseTime(resting?.lastTransitionTime),
    followedSince: wasSuspended ? followedSince : undefined,
    wasClosed: isFor([...RESTING, "PausedAfterFailures", "RecordLost"]),
  };
}
