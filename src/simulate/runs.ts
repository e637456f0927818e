import type { RefusedRun } from "../cronjob/status/run_records.ts";
import { partitionPoint } from "../base/partition_point.ts";
import type { EpochMs } from "../base/epoch_ms.ts";

/** A stretch of simulated time: `from <= t < to`. */
export interface Span {
  readonly from: EpochMs;
  readonly to: EpochMs;
}

/** One run, and what becomes of it. */
export interface Run {
  /** Undefined for a run by hand. */
  readonly scheduledTime: EpochMs | undefined;
  readonly startsAt: EpochMs;
  readonly endsAt: EpochMs;
  /** Whether the concurrency policy ends it for a later one. */
  readonly isReplaced: boolean;
}

/** Runs that nothing holds back or ends early: each starts so long after its time, and lasts as long as the others. */
export interface RegularRuns {
  /** Scheduled times, those from `first` up to `end` among them. Shared by all CronJobs of one schedule. */
  readonly times: ArrayLike<EpochMs>;
  readonly first: number;
  readonly end: number;
  readonly offsetMs: number;
  readonly durationMs: number;
}

export type RefusalReason = RefusedRun["reason"];

/** A scheduled time that gets no Job. */
export interface RefusedTime {
  readonly scheduledTime: EpochMs;
  readonly reason: RefusalReason;
}

/** What is done in a stretch of time. CronJobs that do the same share one object. */
export interface DoneRuns {
  readonly regular: readonly RegularRuns[];
  /** Those that were decided on one by one. */
  readonly single: readonly Run[];
  readonly refused: readonly RefusedTime[];
}

/** Why nothing starts, from the beginning. */
export interface Rest {
  /** Of the condition `Ready`. */
  readonly reason: string;
  readonly message: string;
  /** Whether its author has to change something. */
  readonly isFault: boolean;
}

/** All that one CronJob does. */
export interface SimulatedRuns {
  readonly parts: readonly DoneRuns[];
  readonly rest: Rest | undefined;
}

/** Returns whether a run starts in a span. */
export function startsWithin({ regular, single }: DoneRuns, { from, to }: Span): boolean {
  return single.some(({ startsAt }) => startsAt >= from && startsAt < to) ||
    regular.some(({ times, first, end, offsetMs }) => {
      const i = Math.max(first, indexOf(times, from - offsetMs));
      return i < end && times[i]! + offsetMs < to;
    });
}

/** Returns where the first time at or after this one stands among times in order. */
export function indexOf(times: ArrayLike<EpochMs>, from: EpochMs): number {
  return partitionPoint(times, (time) => time < from);
}

/** Calls `visit` with every run, in no particular order: there may be millions. */
export function visitRuns({ regular, single }: DoneRuns, visit: (run: Run) => void): void {
  single.forEach(visit);
  for (const { times, first, end, offsetMs, durationMs } of regular) {
    for (let i = first; i < end; i++) {
      const scheduledTime = times[i]!;
      const startsAt = scheduledTime + offsetMs;
      visit({ scheduledTime, startsAt, endsAt: startsAt + durationMs, isReplaced: false });
    }
  }
}
