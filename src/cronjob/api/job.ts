import type { Loose } from "../../base/loose.ts";
import type { DeepReadonly, ObjectMeta } from "../../kube/object.ts";
import type { Job } from "../../kube/resource.ts";
import { type EpochMs, formatTime, parseTime } from "../../base/epoch_ms.ts";
import { BACKFILL, INSTANTIATE, NAME_HOLD, TRIGGER } from "./annotations.ts";
import type { Flavour } from "./flavour.ts";
import { backfillJobName, scheduledJobName, timeInJobName, triggeredJobName } from "./job_name.ts";
import { isMadeForRun, ownerOf } from "./ownership.ts";
import type { RunOutcome, RunRecord } from "./types.ts";

/** The metadata that is kept of a Job. */
export type ChildMeta = Pick<
  Loose<DeepReadonly<ObjectMeta>>,
  | "name"
  | "namespace"
  | "uid"
  | "resourceVersion"
  | "creationTimestamp"
  | "deletionTimestamp"
  | "ownerReferences"
  | "finalizers"
>;

/** The CronJob that a Job names as its owner. */
export interface Owner {
  readonly flavour: Flavour;
  readonly uid: string;
  readonly name: string;
}

/** One version of a Job of a CronJob, read once. Of its spec and its Pods nothing more matters to its CronJob. */
export interface Child {
  readonly metadata: ChildMeta;
  /** The CronJob whose child it is; undefined where it has none, or belongs to something else. */
  readonly owner: Owner | undefined;
  readonly state: "active" | "succeeded" | "failed";
  /** The time that it runs for, as far as its name bears that out; undefined for Jobs that no schedule made. */
  readonly scheduledTime: EpochMs | undefined;
  /** The back-fill that it runs for, and which time of the past, as far as its name bears that out. */
  readonly backfill: { readonly id: string; readonly scheduledTime: EpochMs } | undefined;
  /** The trigger annotation's value that started it, as far as its name bears that out. */
  readonly triggeredBy: string | undefined;
  readonly createdAt: EpochMs | undefined;
  /** Whether a person asked for it: by our trigger, or by `kubectl create job --from`. */
  readonly manual: boolean;
  /** Whether its annotations say that a schedule or a person made it. */
  readonly isMadeForRun: boolean;
  readonly startTime: EpochMs | undefined;
  readonly endTime: EpochMs | undefined;
  /** Whether its status shows Pods that were ready or have ended; `unknown` where it does not say how many are ready. */
  readonly podsSeen: "some" | "none" | "unknown";
  /** Whether Pods of it may run, as far as its status says. */
  readonly mayHavePods: boolean;
  /** The Pods that its status shows as failed; undefined where none is. */
  readonly failedPods: FailedPods | undefined;
  /** Whether it is held back: it has no Pods, and still counts as active. */
  readonly isSuspended: boolean;
  /** Whether it was decided already that it fails. */
  readonly isEnding: boolean;
  /** The reason of the condition that ended it. */
  readonly endReason: string | undefined;
  /** The message of that condition, of a Job that failed. */
  readonly failureMessage: string | undefined;
}

export interface FailedPods {
  readonly count: number;
  /** After so many failures the Job fails; absent where several of its Pods are to succeed. */
  readonly most?: number;
}

/** Characters that are kept of what a Job says of its failure. */
const MAX_MESSAGE = 500;

/** Reads one version of a Job at the door of the cache: as the child of a CronJob of one of these flavours, if it is one. */
export function readJob(flavours: readonly Flavour[], job: DeepReadonly<Job>): Child {
  const { name, namespace, uid, resourceVersion, creationTimestamp, deletionTimestamp, ownerReferences, finalizers } =
    job.metadata;
  const annotations = job.metadata.annotations ?? {};
  const end = endOf(job);
  const owner = ownerAmong(flavours, job);
  const scheduledText = owner && annotations[owner.flavour.scheduledTimeAnnotation];
  const backfill = owner && backfillOf(owner, { name, id: annotations[BACKFILL], scheduledText });
  return {
    metadata: {
      name,
      namespace,
      uid,
      resourceVersion,
      creationTimestamp,
      deletionTimestamp,
      ownerReferences,
      ...finalizers && { finalizers },
    },
    owner,
    state: end === undefined ? "active" : end.type === "Complete" ? "succeeded" : "failed",
    scheduledTime: owner && !backfill ? scheduledTimeOf(owner, name, scheduledText) : undefined,
    backfill,
    triggeredBy: owner && triggerOf(name, owner, annotations[TRIGGER]),
    createdAt: parseTime(creationTimestamp),
    manual: annotations[TRIGGER] !== undefined || annotations[INSTANTIATE] !== undefined,
    isMadeForRun: (owner ? [owner.flavour] : flavours).some((flavour) => isMadeForRun(flavour, job)),
    startTime: parseTime(job.status?.startTime),
    endTime: end && (parseTime(job.status?.completionTime) ?? parseTime(end.lastTransitionTime)),
    podsSeen: podsSeen(job),
    mayHavePods: mayHavePods(job),
    failedPods: failedPodsOf(job),
    isSuspended: job.spec?.suspend === true,
    isEnding: hasCondition(job, "FailureTarget"),
    endReason: end?.reason,
    failureMessage: end?.type === "Failed" ? end.message?.slice(0, MAX_MESSAGE).toWellFormed() || undefined : undefined,
  };
}

function failedPodsOf({ spec, status }: DeepReadonly<Job>): FailedPods | undefined {
  const { failed: count = 0 } = status ?? {};
  if (count === 0) return undefined;
  const { backoffLimit = 6, completions, parallelism = 1 } = spec ?? {};
  return { count, ...(completions ?? parallelism) === 1 && { most: backoffLimit + 1 } };
}

/** Returns the CronJob whose child it is. It is that of one flavour at most. */
function ownerAmong(flavours: readonly Flavour[], job: DeepReadonly<Job>): Owner | undefined {
  for (const flavour of flavours) {
    const owner = ownerOf(flavour, job);
    if (owner) return { flavour, uid: owner.uid, name: owner.name };
  }
  return undefined;
}

/**
 * Anyone who may write a Job may write its annotations, but no one can change its name. Where the two disagree, the name
 * says the minute, or the second.
 */
function scheduledTimeOf(
  { flavour, name: cronJob }: Owner,
  jobName: string,
  annotation: string | undefined,
): EpochMs | undefined {
  const named = timeInJobName(jobName, cronJob, flavour);
  if (annotation === undefined || named === undefined) return undefined;
  const annotated = parseTime(annotation) ?? -Infinity;
  return annotated >= named && annotated < named + flavour.nameUnitSeconds * 1000 ? annotated : named;
}

/** Its name is that of the scheduled run itself, or says which back-fill it is of. */
function backfillOf(
  owner: Owner,
  { name, id, scheduledText }: { name: string; id: string | undefined; scheduledText: string | undefined },
): Child["backfill"] {
  if (id === undefined) return undefined;
  const { flavour } = owner;
  const scheduledTime = scheduledTimeOf(owner, name, scheduledText) ?? parseTime(scheduledText);
  if (scheduledTime === undefined) return undefined;
  const names = [
    scheduledJobName(owner.name, flavour, scheduledTime),
    backfillJobName(owner, flavour, { id, scheduledTime }),
  ];
  return names.includes(name) ? { id, scheduledTime } : undefined;
}

function triggerOf(
  jobName: string,
  cronJob: { readonly name: string; readonly uid: string },
  annotation: string | undefined,
): string | undefined {
  return annotation !== undefined && triggeredJobName(cronJob, annotation) === jobName ? annotation : undefined;
}

/** How far the clocks of two machines may be apart before one of them counts as wrong. */
export const CLOCK_TOLERANCE_MS = 60_000;

/** Returns whether a time has come, as far as clocks agree: one that has not was decided on by a clock that was ahead. */
export function hasCome(time: EpochMs, now: EpochMs): boolean {
  return time <= now + CLOCK_TOLERANCE_MS;
}

/**
 * Returns the scheduled time that a Job proves to have been started: one that had come by our clock, or by the API
 * server's when it was made, give or take what clocks differ. Of any other time it only occupies the name.
 */
export function startedTime({ scheduledTime, createdAt = -Infinity }: Child, now: EpochMs): EpochMs | undefined {
  if (scheduledTime === undefined) return undefined;
  return hasCome(scheduledTime, Math.max(now, createdAt)) ? scheduledTime : undefined;
}

/**
 * Returns whether a Job is a child of a CronJob: the one that it names, of its flavour, in its own namespace. A UID alone
 * could be claimed from anywhere, by anyone who may create Jobs somewhere.
 */
export function isChildOf(
  { owner, metadata: { namespace } }: Child,
  { flavour, metadata: cronJob }: {
    readonly flavour: Flavour;
    readonly metadata: Pick<ChildMeta, "name" | "namespace" | "uid">;
  },
): boolean {
  return owner?.uid === cronJob.uid && owner.flavour === flavour && owner.name === cronJob.name &&
    namespace === cronJob.namespace;
}

function podsSeen({ status }: DeepReadonly<Job>): Child["podsSeen"] {
  const { ready, succeeded = 0, failed = 0, terminating = 0, uncountedTerminatedPods: ended } = status ?? {};
  const uncounted = (ended?.succeeded?.length ?? 0) + (ended?.failed?.length ?? 0);
  if ((ready ?? 0) + succeeded + failed + terminating + uncounted > 0) return "some";
  return ready === undefined ? "unknown" : "none";
}

/** Its first status says when it started, and which Pods it has. */
function mayHavePods({ spec, status }: DeepReadonly<Job>): boolean {
  const { startTime, active = 0, terminating = 0 } = status ?? {};
  return active + terminating > 0 || (startTime === undefined && spec?.suspend !== true);
}

function hasCondition({ status }: DeepReadonly<Job>, type: string): boolean {
  return status?.conditions?.some((condition) => condition.type === type && condition.status === "True") ?? false;
}

/** The condition that says that it has ended, and how. */
function endOf({ status }: DeepReadonly<Job>) {
  return status?.conditions?.find(({ type, status }) =>
    status === "True" && (type === "Complete" || type === "Failed")
  );
}

/** Returns whether a schedule or a person made it, rather than something unknown. */
export function isExpected(child: Child): boolean {
  return child.scheduledTime !== undefined || child.manual;
}

/** Returns whether it counts for the schedule: its policy, its history, its record. A run of the past does not. */
export function isOfSchedule({ backfill }: Child): boolean {
  return backfill === undefined;
}

/** Returns whether it was a Job of the CronJob, and no longer says so. */
export function isStray(
  { owner }: Child,
  { metadata: { uid } }: { readonly metadata: { readonly uid: string } },
): boolean {
  return owner?.uid !== uid;
}

/** Returns whether it takes a place of the concurrency policy: one that only our finalizer keeps does while it has Pods. */
export function takesPlace(child: Child): boolean {
  return child.state === "active" && (child.mayHavePods || !isOnlyHeld(child));
}

/** Returns whether it would be gone but for the finalizer of `neverTwice`. */
export function isOnlyHeld({ metadata: { deletionTimestamp, finalizers } }: Child): boolean {
  return deletionTimestamp !== undefined && finalizers?.length === 1 && finalizers[0] === NAME_HOLD;
}

/** Returns whether its deletion was requested. It counts for what it is until it is gone. */
export function isGoingAway({ metadata }: Child): boolean {
  return metadata.deletionTimestamp !== undefined;
}

const OUTCOMES: Readonly<Record<Child["state"], RunOutcome>> = {
  active: "Running",
  succeeded: "Succeeded",
  failed: "Failed",
};

/** Returns what is recorded of the run that a Job is. */
export function recordOf(child: Child): RunRecord {
  const { metadata, state, backfill, endTime, endReason, failureMessage } = child;
  const scheduledTime = backfill?.scheduledTime ?? child.scheduledTime;
  return {
    ...(scheduledTime !== undefined && { scheduledTime: formatTime(scheduledTime) }),
    trigger: backfill ? "Backfill" : scheduledTime === undefined ? "Manual" : "Schedule",
    startTime: metadata.creationTimestamp,
    ...(endTime !== undefined && { endTime: formatTime(endTime) }),
    outcome: OUTCOMES[state],
    ...(state === "failed" && endReason !== undefined && { reason: endReason }),
    ...(failureMessage !== undefined && { message: failureMessage }),
    jobName: metadata.name,
  };
}
