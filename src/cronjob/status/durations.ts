import { parseTime } from "../../base/epoch_ms.ts";
import type { RunDurations, RunRecord } from "../api/types.ts";

/** Returns how long those of the runs took that ended; undefined where none did. */
export function durationsOfRuns(runs: readonly RunRecord[]): RunDurations | undefined {
  const seconds = runs.filter(({ outcome }) => outcome === "Succeeded" || outcome === "Failed")
    .map(({ startTime, endTime }) => (parseTime(endTime)! - parseTime(startTime)!) / 1_000)
    .filter((duration) => !Number.isNaN(duration)).map((duration) => Math.max(0, duration)).sort((a, b) => a - b);
  if (seconds.length === 0) return undefined;
  return { runs: seconds.length, p50Seconds: quantile(seconds, 0.5), p95Seconds: quantile(seconds, 0.95) };
}

/** Returns the nearest rank: one of the values, of which there is one at least. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.ceil(sorted.length * share) - 1]!;
}
