import { type DeepReadonly, keyOf, type ObjectKey } from "../../kube/object.ts";
import { apiVersionOf } from "../../kube/resource.ts";
import { type EpochMs, parseTime } from "../../base/epoch_ms.ts";
import {
  BACKFILL_PROGRESS,
  FAILURES,
  LAST_TRIGGER,
  NEXT_SCHEDULE_TIME,
  OBSERVED_SCHEDULES,
  PASSED_OVER,
  SCHEDULES,
  SUSPEND,
  TRIGGER,
  WAITING,
} from "./annotations.ts";
import { type BackfillProgress, type BackfillReading, readBackfill, readBackfillProgress } from "./backfill.ts";
import { type FailureRecord, readFailures, resumeMark } from "./failure_record.ts";
import type { Flavour } from "./flavour.ts";
import { readStretches, type Stretch } from "./passed_over.ts";
import { readSchedule, type ScheduleReading } from "./schedule_reading.ts";
import { readSettings, type Settings } from "./settings.ts";
import { annotationWrittenAt, lastScheduleWrittenAt, specWrittenAt } from "./spec_writes.ts";
import { type ObservedPart, readObservedSchedules } from "./observed_schedules.ts";
import { type Stewardship, stewardshipOf } from "./stewardship.ts";
import type { CronJobObject, CronJobStatus, ObservedSchedule } from "./types.ts";

/**
 * One version of a CronJob, read once: the object as the API server stores it, and what it says in the program's own
 * terms, whichever flavour says it.
 */
export interface CronJob {
  readonly flavour: Flavour;
  /** Raw, and untouched. */
  readonly object: DeepReadonly<CronJobObject>;
  readonly metadata: DeepReadonly<CronJobObject>["metadata"];
  /** The status as it was last written; empty where there is none yet. */
  readonly status: DeepReadonly<CronJobStatus>;
  /** What the status records, with instants in place of text. */
  readonly recorded: RecordedStatus;
  readonly settings: Settings;
  /** The schedule, or what is wrong with it or its time zone. */
  readonly schedule: ScheduleReading;
  readonly stewardship: Stewardship;
  /** Undefined where the API server's text is no time. */
  readonly createdAt: EpochMs | undefined;
  readonly isBeingDeleted: boolean;
  /** The value of the trigger annotation: a new one asks for a run by hand. */
  readonly requestedTrigger: string | undefined;
  /** The newest request for a run by hand that was answered. */
  readonly answeredTrigger: string | undefined;
  /** The annotations that the controller writes where the status has no room. */
  readonly writtenAnnotations: Readonly<Record<string, string | undefined>>;
  /** When the spec was last written; undefined where the API server keeps no record of it. */
  readonly specWrittenAt: EpochMs | undefined;
  /** When an owner of the schedule or its zone last wrote. */
  readonly scheduleWrittenAt: EpochMs | undefined;
  /** When the schedule's field was last written, as far as is known. */
  readonly scheduleEditedAt: EpochMs | undefined;
  /** When what pauses it was last written. Of an annotation that was taken away there is no record. */
  readonly pauseWrittenAt: EpochMs | undefined;
  /** When `status.lastScheduleTime` was last written, or later, by the API server's clock. */
  readonly lastScheduleWrittenAt: EpochMs | undefined;
  /** Scheduled times up to the last that were recorded as not started. */
  readonly passedOver: readonly Stretch[];
  /** Scheduled times that were recorded as waiting to start one after the other. */
  readonly waiting: readonly Stretch[];
  /** The schedules as last seen, and since when each holds; empty where nothing is recorded. */
  readonly observedSchedules: readonly ObservedPart[];
  /** What is recorded of runs that failed in a row. */
  readonly recordedFailures: FailureRecord | undefined;
  /** What a user changes to have a schedule followed again that was paused after failures. */
  readonly resumeMark: string;
  /** What is asked for by way of back-fill. */
  readonly backfill: BackfillReading;
  /** How far the last back-fill had come; undefined where there was none. */
  readonly recordedBackfill: BackfillProgress | undefined;
}

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

  get writtenAnnotations() {
    const { annotations } = this.metadata;
    return {
      [LAST_TRIGGER]: annotations?.[LAST_TRIGGER],
      [NEXT_SCHEDULE_TIME]: annotations?.[NEXT_SCHEDULE_TIME],
      [PASSED_OVER]: annotations?.[PASSED_OVER],
      [WAITING]: annotations?.[WAITING],
      [FAILURES]: annotations?.[FAILURES],
      [BACKFILL_PROGRESS]: annotations?.[BACKFILL_PROGRESS],
      [OBSERVED_SCHEDULES]: annotations?.[OBSERVED_SCHEDULES],
    };
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

/** Returns the key of the queue and the cache. */
export function cronJobKey({ metadata }: Pick<CronJob, "metadata">): ObjectKey {
  return keyOf({ metadata });
}

/** As a list item of Kubernetes' own kinds does not say what it is, and the tutorial's kind may lack a spec. */
export function withType(flavour: Flavour, object: CronJobObject): CronJobObject {
  const { resource } = flavour;
  return { ...object, spec: object.spec ?? {}, apiVersion: apiVersionOf(resource), kind: resource.kind };
}

export interface RecordedStatus {
  readonly lastScheduleTime: EpochMs | undefined;
  readonly lastSuccessfulTime: EpochMs | undefined;
  readonly lastFailureTime: EpochMs | undefined;
  /** The run that waits for an active one to end. */
  readonly queuedTime: EpochMs | undefined;
  /** The scheduled times of the recorded runs. */
  readonly recordedTimes: readonly EpochMs[];
  readonly schedule: DeepReadonly<ObservedSchedule> | undefined;
  /** Since when the recorded schedule holds. */
  readonly scheduleSince: EpochMs | undefined;
  /** Whether it was suspended or paused. */
  readonly wasResting: boolean;
  /** The same, or paused after failures: what came due meanwhile was not missed. */
  readonly wasClosed: boolean;
}

/** Reasons of the condition `Ready` after which `onResume: None` drops what came due. */
const RESTING = ["Suspended", "Paused"];

function readStatus(status: DeepReadonly<CronJobStatus>): RecordedStatus {
  const ready = status.conditions?.find(({ type }) => type === "Ready");
  const isFor = (reasons: readonly string[]) => ready?.status === "False" && reasons.includes(ready.reason);
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
