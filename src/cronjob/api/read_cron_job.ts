import { parseTime } from "../../base/epoch_ms.ts";
import type { DeepReadonly } from "../../kube/object.ts";
import { apiVersionOf } from "../../kube/resource.ts";
import { LAST_TRIGGER, SCHEDULES, SUSPEND, TRIGGER } from "./annotations.ts";
import { type BackfillProgress, type BackfillReading, readBackfill, readBackfillProgress } from "./backfill.ts";
import type { CronJob, RecordedStatus, ScheduleReading } from "./cron_job.ts";
import { readFailedRuns } from "./failed_runs.ts";
import { type FailureRecord, readFailures } from "./failure_record.ts";
import type { Flavour } from "./flavour.ts";
import { type ObservedPart, readObservedSchedules } from "./observed_schedules.ts";
import { readStretches, type Stretch } from "./passed_over.ts";
import { readSettings } from "./read_settings.ts";
import { resumeMark } from "./resume_mark.ts";
import { readSchedule } from "./schedule_reading.ts";
import type { Settings } from "./settings.ts";
import { annotationWrittenAt, lastScheduleWrittenAt, specWrittenAt } from "./spec_writes.ts";
import { type Stewardship, stewardshipOf } from "./stewardship.ts";
import type { CronJobObject, CronJobStatus } from "./types.ts";

/**
 * Reads one version of a CronJob at the door of the cache.
 *
 * @param known its `resumeMark`, where the object is kept without the job template that the mark covers
 */
export function readCronJob(
  flavour: Flavour,
  object: DeepReadonly<CronJobObject>,
  known: Partial<Pick<CronJob, "resumeMark">> = {},
): CronJob {
  return new CronJobVersion(flavour, object, known.resumeMark);
}

/** Reads each part when it is first asked for: a version that no decision is about costs nothing. */
class CronJobVersion implements CronJob {
  readonly flavour: Flavour;
  readonly object: DeepReadonly<CronJobObject>;
  #settings: Settings | undefined;
  #schedule: ScheduleReading | undefined;
  #recorded: RecordedStatus | undefined;
  #stewardship: Stewardship | undefined;
  #passedOver: readonly Stretch[] | undefined;
  #waiting: readonly Stretch[] | undefined;
  #observedSchedules: readonly ObservedPart[] | undefined;
  #recordedFailures: FailureRecord | undefined;
  #recordedFailedRuns: CronJob["recordedFailedRuns"] | undefined;
  #resumeMark: string | undefined;
  #backfill: BackfillReading | undefined;
  #recordedBackfill: BackfillProgress | undefined;

  constructor(flavour: Flavour, object: DeepReadonly<CronJobObject>, resumeMark: string | undefined) {
    this.flavour = flavour;
    this.object = object;
    this.#resumeMark = resumeMark;
  }

  get metadata() {
    return this.object.metadata;
  }

  get status() {
    return this.object.status ?? {};
  }

  get recorded() {
    return this.#recorded ??= readStatus(this.status);
  }

  get settings() {
    return this.#settings ??= readSettings(this.flavour, this.object);
  }

  get schedule() {
    return this.#schedule ??= readSchedule(this.settings);
  }

  get stewardship() {
    return this.#stewardship ??= stewardshipOf(this.flavour, this.object);
  }

  get createdAt() {
    return parseTime(this.metadata.creationTimestamp);
  }

  get isBeingDeleted() {
    return this.metadata.deletionTimestamp !== undefined;
  }

  get requestedTrigger() {
    return this.metadata.annotations?.[TRIGGER];
  }

  get answeredTrigger() {
    return this.flavour.openStatus ? this.status.lastTrigger : this.metadata.annotations?.[LAST_TRIGGER];
  }

  get specWrittenAt() {
    return specWrittenAt(this.object);
  }

  get scheduleWrittenAt() {
    return this.#schedulesAnnotated
      ? annotationWrittenAt(this.object, SCHEDULES)
      : specWrittenAt(this.object, ["schedule", "schedules", "timeZone", "exclude", "onExcluded"]);
  }

  get scheduleEditedAt() {
    return this.#schedulesAnnotated ? annotationWrittenAt(this.object, SCHEDULES) : this.specWrittenAt;
  }

  get #schedulesAnnotated(): boolean {
    return this.flavour.extrasIn === "annotations" && this.settings.schedules.length > 1;
  }

  get pauseWrittenAt() {
    return this.stewardship.suspendedIn === "spec"
      ? specWrittenAt(this.object, ["suspend", "pause"])
      : annotationWrittenAt(this.object, SUSPEND);
  }

  get lastScheduleWrittenAt() {
    return lastScheduleWrittenAt(this.object);
  }

  get passedOver() {
    return this.#passedOver ??= readStretches(this.flavour, this.object, "passedOver");
  }

  get waiting() {
    return this.#waiting ??= readStretches(this.flavour, this.object, "waiting");
  }

  get observedSchedules() {
    return this.#observedSchedules ??= readObservedSchedules(this.flavour, this.object);
  }

  get recordedFailures() {
    return this.#recordedFailures ??= readFailures(this.flavour, this.object);
  }

  get recordedFailedRuns() {
    return this.#recordedFailedRuns ??= readFailedRuns(this.flavour, this.object);
  }

  get resumeMark() {
    return this.#resumeMark ??= resumeMark(this.flavour, this.object);
  }

  get backfill() {
    return this.#backfill ??= readBackfill(this.flavour, this.object);
  }

  get recordedBackfill() {
    return this.#recordedBackfill ??= readBackfillProgress(this.flavour, this.object);
  }
}

/** As a list item of Kubernetes' own kinds does not say what it is, and the tutorial's kind may lack a spec. */
export function withType(flavour: Flavour, object: CronJobObject): CronJobObject {
  const { resource } = flavour;
  return { ...object, spec: object.spec ?? {}, apiVersion: apiVersionOf(resource), kind: resource.kind };
}

/** Reasons of the condition `Ready` after which `onResume: None` drops what came due. */
const RESTING = ["Suspended", "Paused"];

function readStatus(status: DeepReadonly<CronJobStatus>): RecordedStatus {
  const ready = status.conditions?.find(({ type }) => type === "Ready");
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
    wasClosed: isFor([...RESTING, "PausedAfterFailures"]),
  };
}
