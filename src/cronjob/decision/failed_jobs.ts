import { type EpochMs, parseTime } from "../../base/epoch_ms.ts";
import type { DeepReadonly } from "../../kube/object.ts";
import type { BackfillProgress } from "../api/backfill.ts";
import { type Child, hasCome, isGoingAway, isOfSchedule, recordOf } from "../api/job.ts";
import { type FailedRun, type PodEnd, RECENT_RUNS } from "../api/types.ts";
import type { DecisionInput } from "./input.ts";

/** The failed Jobs of a CronJob that keeps them until a success. */
export interface FailedJobs {
  /** The failed runs to be recorded, the last to end first; undefined where none are. */
  readonly record: readonly DeepReadonly<FailedRun>[] | undefined;
  /** Jobs whose Pods' ends are still to be read. */
  readonly unread: readonly Child[];
  /** Jobs whose Pods' ends cannot be read just now. */
  readonly unreadable: readonly Child[];
  /** When to read the ends again that could not be read. */
  readonly retryAt: EpochMs | undefined;
  /** Jobs that a later success has answered, and that are recorded with their Pods' ends. */
  readonly answered: readonly Child[];
  /** The Jobs of `answered` that go only once `record` is written. */
  readonly unrecorded: readonly Child[];
}

export const NO_FAILED_JOBS: FailedJobs = {
  record: undefined,
  unread: [],
  unreadable: [],
  retryAt: undefined,
  answered: [],
  unrecorded: [],
};

/**
 * Finds the failed Jobs that go as a success has answered them: one that ended after they did, as failures in a row are
 * counted. Jobs by hand stay, and so do Jobs of a back-fill that goes on.
 */
export function findFailedJobs(
  input: DecisionInput,
  jobs: readonly Child[],
  progress: BackfillProgress | undefined,
): FailedJobs {
  const { cronJob, ends, now } = input;
  if (!cronJob.settings.keepsFailedUntilSuccess) return NO_FAILED_JOBS;
  const before = cronJob.recordedFailedRuns;
  const failed = jobs.filter((child) => child.state === "failed" && isAutomatic(child) && !isGoingAway(child));
  const newest = failed.toSorted(lastFirst).slice(0, RECENT_RUNS).filter((child) => !isAmong(before, child));
  const known = newest.flatMap((child) => {
    const end = ends?.known.get(child.metadata.uid);
    return end ? [failedRun(child, end)] : [];
  });
  const record = newestOf([...known, ...before], failed);
  const unread = newest.filter(({ metadata }) => !ends?.known.has(metadata.uid));
  const retryAt = (ends?.retryAt ?? -Infinity) > now ? ends?.retryAt : undefined;
  const mayRead = ends !== undefined && retryAt === undefined;
  const success = newestSuccess(input, jobs);
  const answered = failed.filter((child) =>
    (child.endTime ?? Infinity) < success && mayGo(child, progress) && isAmong(record, child)
  );
  return {
    record: record.length > 0 ? record : undefined,
    unread: mayRead ? unread : [],
    unreadable: mayRead ? [] : unread,
    retryAt: unread.length > 0 ? retryAt : undefined,
    answered,
    unrecorded: answered.filter((child) => !isAmong(before, child)),
  };
}

/** Records Jobs that go now although their Pods' ends could not be read, by the Jobs alone: the limits wait for no Pod. */
export function recordGoing(found: FailedJobs, deletions: readonly Child[], jobs: readonly Child[]): FailedJobs {
  const going = found.unreadable.filter((child) => deletions.includes(child)).map((child) => failedRun(child, {}));
  if (going.length === 0) return found;
  return { ...found, record: newestOf([...going, ...found.record ?? []], jobs) };
}

/** Returns whether a Job is a schedule's or a back-fill's. */
function isAutomatic({ scheduledTime, backfill, manual }: Child): boolean {
  return (scheduledTime !== undefined || backfill !== undefined) && !manual;
}

function mayGo(child: Child, progress: BackfillProgress | undefined): boolean {
  return isOfSchedule(child) || progress?.state !== "Running";
}

/** Returns when the newest success ended. A success by hand counts too; one of a time to come, by a clock ahead, does not. */
function newestSuccess({ cronJob: { recorded }, now }: DecisionInput, jobs: readonly Child[]): EpochMs {
  const succeeded = jobs.filter((child) => child.state === "succeeded" && isOfSchedule(child));
  const ends = [recorded.lastSuccessfulTime, ...succeeded.map(({ endTime }) => endTime)];
  return Math.max(-Infinity, ...ends.filter((end) => end !== undefined && hasCome(end, now)) as EpochMs[]);
}

function isAmong(runs: readonly DeepReadonly<FailedRun>[], { metadata: { uid } }: Child): boolean {
  return runs.some(({ jobUid }) => jobUid === uid);
}

/** Returns the runs to record. Runs whose Jobs are there take precedence, so that these may go, however many there are. */
function newestOf(runs: DeepReadonly<FailedRun>[], failed: readonly Child[]): DeepReadonly<FailedRun>[] {
  const [there = [], gone = []] = [true, false].map((isThere) =>
    runs.filter((run) => failed.some((child) => isAmong([run], child)) === isThere).sort(byEnd)
  );
  return [...there, ...gone].slice(0, RECENT_RUNS).sort(byEnd);
}

/** The bytes to which Kubernetes bounds a termination message. */
const MAX_MESSAGE = 4096;

function failedRun(child: Child, { message, ...end }: PodEnd): FailedRun {
  // Control characters would take six characters each in an annotation, whose size is bounded.
  const text = message?.replaceAll(/[^\P{Cc}\n\t]/gu, "").slice(-MAX_MESSAGE).toWellFormed();
  const terminated = { ...end, ...(text !== undefined && text !== "" && { message: text }) };
  return { ...recordOf(child), jobUid: child.metadata.uid, terminated };
}

function lastFirst(a: Child, b: Child): number {
  return (b.endTime ?? 0) - (a.endTime ?? 0);
}

function byEnd(a: DeepReadonly<FailedRun>, b: DeepReadonly<FailedRun>): number {
  return (parseTime(b.endTime) ?? 0) - (parseTime(a.endTime) ?? 0);
}
