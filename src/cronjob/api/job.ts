import type { DeepReadonly } from "../../kube/object.ts";
import type { Job } from "../../kube/resource.ts";
import { type EpochMs, parseTime } from "../../schedule/epoch_ms.ts";
import { INSTANTIATE, TRIGGER } from "./annotations.ts";
import type { CronJobApi } from "./flavour.ts";

/** A Job of a CronJob, read once for all that follows. */
export interface Child {
  readonly job: DeepReadonly<Job>;
  readonly state: "active" | "succeeded" | "failed";
  /** From the annotation; undefined for Jobs that no schedule made. */
  readonly scheduledTime: EpochMs | undefined;
  /** The trigger annotation's value that started it. */
  readonly triggeredBy: string | undefined;
  /** Whether a person asked for it: by our trigger, or by `kubectl create job --from`. */
  readonly manual: boolean;
  readonly startTime: EpochMs | undefined;
  readonly endTime: EpochMs | undefined;
  /** What the condition that ended it says. */
  readonly endReason: string | undefined;
}

/** Oldest first, as the history limits count: by start, those not started last, then by name. */
export function readChildren(api: CronJobApi, jobs: readonly DeepReadonly<Job>[]): Child[] {
  return jobs.map((job) => readChild(api, job)).sort(byStart);
}

function readChild(api: CronJobApi, job: DeepReadonly<Job>): Child {
  const annotations = job.metadata.annotations ?? {};
  const end = endOf(job);
  return {
    job,
    state: end === undefined ? "active" : end.type === "Complete" ? "succeeded" : "failed",
    scheduledTime: parseTime(annotations[api.scheduledTimeAnnotation]),
    triggeredBy: annotations[TRIGGER],
    manual: annotations[TRIGGER] !== undefined || annotations[INSTANTIATE] !== undefined,
    startTime: parseTime(job.status?.startTime),
    endTime: end && (parseTime(job.status?.completionTime) ?? parseTime(end.lastTransitionTime)),
    endReason: end?.reason,
  };
}

/** The condition that says that it has ended, and how. */
function endOf({ status }: DeepReadonly<Job>) {
  return status?.conditions?.find(({ type, status }) =>
    status === "True" && (type === "Complete" || type === "Failed")
  );
}

export function isFinished(job: DeepReadonly<Job>): boolean {
  return endOf(job) !== undefined;
}

function byStart(a: Child, b: Child): number {
  const start = (a.startTime ?? Infinity) - (b.startTime ?? Infinity);
  return start || (a.job.metadata.name < b.job.metadata.name ? -1 : 1);
}

/** Whether a schedule or a person made it, rather than something unknown. */
export function isExpected(child: Child): boolean {
  return child.scheduledTime !== undefined || child.manual;
}

export function isGoingAway({ job }: Child): boolean {
  return job.metadata.deletionTimestamp !== undefined;
}
