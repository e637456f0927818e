import { earliest, type EpochMs } from "../../base/epoch_ms.ts";
import { type Child, isGoingAway } from "../api/job.ts";
import type { DecisionInput } from "./input.ts";

/** Jobs whose Pods never started. */
export interface PendingJobs {
  /** Jobs that have had their time. */
  readonly expired: readonly Child[];
  /** When the next one will have had it. */
  readonly nextAt: EpochMs | undefined;
  /** How long each may wait. */
  readonly timeoutMs: number | undefined;
}

const NONE: PendingJobs = { expired: [], nextAt: undefined, timeoutMs: undefined };

/**
 * Finds the active Jobs of which no Pod was ever ready or ended. Time counts from the Job's start, but not from before this
 * process looked on: no status says what a Pod did earlier.
 */
export function findPendingJobs(input: DecisionInput, children: readonly Child[]): PendingJobs {
  const timeoutMs = pendingTimeoutMs(input);
  if (timeoutMs === undefined || !input.cronJob.stewardship.keepsStatus) return NONE;
  const { now, pods } = input;
  const expired: Child[] = [];
  let nextAt: EpochMs | undefined;
  for (const child of children) {
    const { state, podsSeen, isEnding, startTime, metadata: { uid } } = child;
    const waits = state === "active" && podsSeen === "none" && !isEnding && !isGoingAway(child);
    if (!waits || startTime === undefined || pods?.started.has(uid) || pods?.timedOut.has(uid)) continue;
    const at = Math.max(startTime, pods?.watchedSince.get(uid) ?? now) + timeoutMs;
    if (at <= now) expired.push(child);
    else nextAt = earliest(nextAt, at);
  }
  return { expired, nextAt, timeoutMs };
}

/** Returns after how long a Job is ended whose Pods never started; undefined for never. */
export function pendingTimeoutMs(
  { cronJob: { settings }, defaultPendingTimeoutMs }: Pick<DecisionInput, "cronJob" | "defaultPendingTimeoutMs">,
): number | undefined {
  return (settings.pendingTimeoutMs ?? defaultPendingTimeoutMs) || undefined;
}
