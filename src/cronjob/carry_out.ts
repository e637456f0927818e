import { isDeepStrictEqual } from "node:util";
import { ApiError } from "../kube/api_error.ts";
import { Stage } from "../base/abort.ts";
import { after, type Clock } from "../base/clock.ts";
import { earliest, type EpochMs } from "../base/epoch_ms.ts";
import { UnreachableError } from "../kube/unreachable_error.ts";
import { messageOf } from "../telemetry/message_of.ts";
import type { CronJob } from "./api/cron_job.ts";
import type { KnowledgeOptions } from "./knowledge/knowledge.ts";
import { ReadEnds } from "./knowledge/read_ends.ts";
import type { RecordPlan, Records, SettlePlan, StartPlan } from "./plan.ts";
import { notRecorded, podsUnread } from "./status/events.ts";
import { bodyOf, createJob, type CreationContext, type JobCreationOptions } from "./job_creation.ts";
import type { CronJobReporter } from "./reporter.ts";
import type { Writes } from "./writes.ts";

/** One reconciliation of one CronJob. */
export interface Sync extends CreationContext {
  readonly writes: Writes;
}

/** The outcome of settling. */
export type Settled =
  /** Unfinished: something has changed by it that decides what is to be done. */
  | { readonly kind: "settled" | "unfinished"; readonly requeueAt: EpochMs | undefined }
  /** There is nothing left to do. */
  | { readonly kind: "gone" };

/** Starts the run of the plan. */
export async function start(options: JobCreationOptions, plan: StartPlan, sync: Sync): Promise<void> {
  const { request, replaces, events, isCatchUp } = plan;
  const { writes } = sync;
  await recordFirst(options, plan, sync);
  for (const child of replaces) await writes.replace(child);
  const { cronJob } = writes;
  const body = bodyOf(cronJob, request, options.neverTwice);
  await createJob(options, { cronJob, request, body, events, isCatchUp }, sync);
}

/** Writes what must be on record before a run starts. */
export async function recordFirst(
  { reporter }: Pick<JobCreationOptions, "reporter">,
  { recordFirst }: StartPlan,
  sync: Sync,
): Promise<void> {
  if (!recordFirst) return;
  const { writes, knowledge } = sync;
  try {
    await writes.record(recordFirst.records, "run");
  } catch (error) {
    if (error instanceof ApiError && !error.isConflict) knowledge.witness.noteUnrecordable();
    throw error;
  }
  noteRecorded(reporter, recordFirst, sync);
}

/** Announces and counts what a record says, once it is written. */
export function noteRecorded(
  reporter: CronJobReporter,
  { events, report, decidedUntil }: RecordPlan,
  { writes: { cronJob }, knowledge }: Sync,
): void {
  knowledge.noteRecorded(cronJob);
  reporter.announce(cronJob, knowledge.unreported, events);
  knowledge.witness.noteDecidedUntil(decidedUntil);
  reporter.count(report, cronJob);
}

export interface SettleOptions extends Pick<KnowledgeOptions, "endOf"> {
  readonly clock: Clock;
  readonly reporter: CronJobReporter;
}

/** Records what was found, cleans up, and reports. */
export async function settle(options: SettleOptions, plan: SettlePlan, sync: Sync): Promise<Settled> {
  const { clock, reporter } = options;
  const { writes, knowledge } = sync;
  if (await readEnds(options, plan, sync)) return { kind: "unfinished", requeueAt: plan.requeueAt };
  const handOverAt = await writes.handOver(plan.handOvers);
  const isReleased = plan.release !== undefined && handOverAt === undefined;
  try {
    await writes.record(plan.records);
    noteRecorded(reporter, plan, sync);
    if (plan.release && isReleased) await writes.edit(plan.release);
  } catch (error) {
    if (error instanceof ApiError && error.isNotFound) return { kind: "gone" };
    throw error;
  }
  const { cronJob } = writes;
  // So it stays until that time has come: what lies shortly before it is started too.
  if (plan.clockWentBack && !knowledge.witness.facts.clockWentBack) knowledge.noteClockWentBack(clock.now());
  reporter.report(plan.report, cronJob);
  await Promise.all(plan.deletions.map((child) => writes.cleanUp(child)));
  const timeOutAt = earliest(...await Promise.all(plan.timeouts.map((timeout) => writes.timeOut(timeout))));
  knowledge.noteSettled(plan.refusedJobs);
  sync.jobs.forgetGone();
  const requeueAt = earliest(plan.requeueAt, knowledge.creations.retryAt, handOverAt, timeOutAt);
  if (isReleased) return { kind: "unfinished", requeueAt };
  if (plan.again) {
    if (isKept(plan.records, cronJob)) return { kind: "unfinished", requeueAt };
    reporter.announce(cronJob, knowledge.unreported, [notRecorded(cronJob.metadata.generation)]);
  }
  return { kind: "settled", requeueAt };
}

/** How long the Pods of one CronJob's Jobs may take to be read: its next run and its status wait meanwhile. */
const READ_MS = 5_000;

/** Reads how the Pods of these Jobs ended. Returns whether anything was asked for: there is more to decide by. */
async function readEnds(
  { clock, reporter, endOf }: SettleOptions,
  { unread, deletions }: SettlePlan,
  { knowledge, writes: { cronJob }, signal }: Sync,
): Promise<boolean> {
  if (!endOf || unread.length === 0) return false;
  const ends = knowledge.ends ??= new ReadEnds();
  using reading = new Stage(signal);
  using _timer = after(clock, READ_MS, () => reading.abort(new Error(`no answer within ${READ_MS / 1_000} s`)));
  /** Undefined as long as no read has left its lane: the server is not silent until then. */
  let isAnswered: boolean | undefined;
  const onLeave = () => void (isAnswered ??= false);
  for (const child of unread) {
    try {
      const end = await endOf(child, { signal: reading.signal, onLeave });
      isAnswered = true;
      if (end) ends.note(child.metadata.uid, end);
      else ends.noteUnread(clock.monotonic());
    } catch (error) {
      if (signal.aborted) throw error;
      const events = deletions.includes(child) ? [] : [podsUnread(child, messageOf(error))];
      reporter.announce(cronJob, knowledge.unreported, events);
      ends.noteUnread(clock.monotonic());
      const isSilent = error instanceof UnreachableError || (reading.signal.aborted && isAnswered === false);
      if (isSilent) knowledge.podReads.noteSilence(child.metadata, clock.monotonic());
      break;
    }
  }
  return true;
}

/**
 * Returns whether a write changed what it was to change. A server that leaves fields out would have it written for ever.
 */
function isKept({ status, annotations }: Records, written: CronJob): boolean {
  const isWritten = ([name, value]: [string, string | null]) =>
    (written.metadata.annotations?.[name] ?? null) === value;
  return (status !== undefined || annotations !== undefined) &&
    (status === undefined || isDeepStrictEqual(status, written.status)) &&
    Object.entries(annotations ?? {}).every(isWritten);
}
