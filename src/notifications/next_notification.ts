import { createHash } from "node:crypto";
import type { EpochMs } from "../base/epoch_ms.ts";
import type { EndedRun } from "./ended_run.ts";
import type { NotifiedCronJob, RunNotification } from "./notification.ts";
import { isReported, type NotifiedRecord, RECORDED_RUNS } from "./notified_record.ts";

/** For how long a failure is news: what could not be reported in that time is dropped, with a warning. */
export const NEWS_MS = 24 * 60 * 60_000;

/** How many Jobs a notification names. */
const NAMED_JOBS = 20;

/** All that the decision rests on. */
export interface NotificationInput {
  readonly cronJob: NotifiedCronJob;
  readonly record: NotifiedRecord | undefined;
  /** Every run that is known to have ended, reported or not, in any order. */
  readonly ended: readonly EndedRun[];
  /** Runs that ended earlier and are remembered, reported or not; undefined where none are. */
  readonly history?: readonly EndedRun[] | undefined;
  readonly now: EpochMs;
  /** At least so long between two notifications of failures. */
  readonly intervalMs: number;
}

/** The next report of one CronJob. */
export type NextNotification =
  | { readonly kind: "none" }
  /** There are failures to report, and the last ones were reported only just now. */
  | { readonly kind: "wait"; readonly until: EpochMs }
  | NextReport;

/** One notification, and what holds once it was reported. */
export interface NextReport {
  readonly kind: "notify";
  readonly notification: RunNotification;
  readonly record: NotifiedRecord;
}

/**
 * Returns what is to be reported next. Failures are reported at once, and those that follow within the interval all together at its
 * end; the first success after failures that were reported is reported at once.
 */
export function nextNotification(input: NotificationInput): NextNotification {
  const { record, ended, now, intervalMs } = input;
  const failures = ended.filter((run) => isUnreportedFailure(run, record, now)).sort(byEnd);
  if (failures.length === 0) return recovery(input);
  // A clock that was set back must not hold them up.
  const until = record && record.toldAt <= now ? record.toldAt + intervalMs : -Infinity;
  return until > now ? { kind: "wait", until } : failed(input, failures);
}

/** Returns whether it failed, is still news, and was not reported. */
export function isUnreportedFailure(run: EndedRun, record: NotifiedRecord | undefined, now: EpochMs): boolean {
  return run.outcome === "failed" && run.endTime > now - NEWS_MS && !isReported(record, run);
}

function failed(
  input: NotificationInput,
  failures: readonly EndedRun[],
): NextNotification {
  const { cronJob, record, now } = input;
  const run = failures.at(-1)!;
  const failuresInARow = countInARow(input, failures);
  return {
    kind: "notify",
    notification: {
      kind: "failed",
      id: idOf("failed", cronJob, failures),
      cronJob,
      run,
      failures: failures.length,
      since: failures[0]!.endTime,
      failuresInARow,
      jobNames: failures.toReversed().slice(0, NAMED_JOBS).map(({ jobName }) => jobName),
    },
    record: {
      inARow: failuresInARow,
      toldAt: now,
      failures: [...failures.map(({ uid, endTime }) => ({ uid, endTime })), ...record?.failures ?? []]
        .sort((a, b) => b.endTime - a.endTime).slice(0, RECORDED_RUNS),
    },
  };
}

/** Counts the failures since the last success before the newest. */
function countInARow(
  { ended, history = [], record }: NotificationInput,
  failures: readonly EndedRun[],
): number {
  const run = failures.at(-1)!;
  const known = [...new Map([...history, ...ended, ...failures].map((one) => [one.uid, one])).values()];
  const before = known.filter((one) => byEnd(one, run) <= 0).sort(byEnd);
  const lastSuccess = before.findLast(({ outcome }) => outcome === "succeeded");
  const remembered = before.filter((one) => one.outcome === "failed" && (!lastSuccess || byEnd(lastSuccess, one) < 0));
  if (lastSuccess && lastSuccess.endTime > lastReported(record)) return remembered.length;
  return Math.max(remembered.length, (record?.inARow ?? 0) + failures.length);
}

function recovery({ cronJob, record, ended, now }: NotificationInput): NextNotification {
  if (!record || record.inARow === 0) return { kind: "none" };
  const since = Math.max(lastReported(record), now - NEWS_MS);
  const run = ended.filter(({ outcome, endTime }) => outcome === "succeeded" && endTime > since).sort(byEnd).at(0);
  if (!run) return { kind: "none" };
  return {
    kind: "notify",
    notification: {
      kind: "recovered",
      id: idOf("recovered", cronJob, [run]),
      cronJob,
      run,
      failures: 0,
      since: run.endTime,
      failuresInARow: record.inARow,
      jobNames: [run.jobName],
    },
    record: { ...record, inARow: 0 },
  };
}

/** The same runs have the same id, in whichever order and by whichever process they are reported. */
function idOf(kind: RunNotification["kind"], { uid }: NotifiedCronJob, runs: readonly EndedRun[]): string {
  const text = [kind, uid, ...runs.map((run) => run.uid).sort()].join(" ");
  return `run-${kind}-${createHash("sha256").update(text).digest("hex").slice(0, 32)}`;
}

/** Returns when the newest failure ended that was reported. */
function lastReported(record: NotifiedRecord | undefined): EpochMs {
  return record?.failures[0]?.endTime ?? -Infinity;
}

function byEnd(a: EndedRun, b: EndedRun): number {
  return a.endTime - b.endTime || (a.jobName < b.jobName ? -1 : a.jobName > b.jobName ? 1 : 0);
}
