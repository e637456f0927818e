import type { RefusedRun } from "../cronjob/status/run_records.ts";
import type { Breach } from "../cronjob/decision/findings.ts";
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
  /** In order. */
  readonly times: readonly EpochMs[];
  readonly offsetMs: number;
  readonly durationMs: number;
}

export type RefusalReason = RefusedRun["reason"];

/** The runs of a stretch of time. */
export interface DoneRuns {
  /** Runs that were decided on one by one. */
  readonly single: readonly Run[];
  /** The runs after them. */
  readonly regular?: RegularRuns | undefined;
  /** Scheduled times that get no Job. */
  readonly refused: readonly { readonly scheduledTime: EpochMs; readonly reason: RefusalReason }[];
  /** The expectations that runs do not meet. */
  readonly breaches: readonly Breach[];
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
export interface SimulatedRuns extends DoneRuns {
  readonly rest: Rest | undefined;
}

/** Calls `visit` with every run, in no particular order: there may be millions. */
export function visitRuns({ single, regular }: DoneRuns, visit: (run: Run) => void): void {
  single.forEach(visit);
  if (!regular) return;
  const { times, offsetMs, durationMs } = regular;
  for (const scheduledTime of times) {
    const startsAt = scheduledTime + offsetMs;
    visit({ scheduledTime, startsAt, endsAt: startsAt + durationMs, isReplaced: false });
  }
}
