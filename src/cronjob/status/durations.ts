import { parseTime } from "../../base/epoch_ms.ts";
import type { Child } from "../api/job.ts";
import type { RunDurations, RunRecord } from "../api/types.ts";

/** Returns how long the recorded runs took that ended; undefined where none did. */
export function durationsOfRuns(runs: readonly RunRecord[]): RunDurations | undefined {
  return spread(
    runs.filter(({ outcome }) => outcome === "Succeeded" || outcome === "Failed")
      .map(({ startTime, endTime }) => secondsBetween(parseTime(startTime), parseTime(endTime))),
  );
}

/** Returns the same of the Jobs that are still there, where no status records runs. */
export function durationsOfJobs(children: readonly Child[]): RunDurations | undefined {
  return spread(
    children.filter(({ state }) => state !== "active").map(({ createdAt, endTime }) =>
      secondsBetween(createdAt, endTime)
    ),
  );
}

function secondsBetween(start: number | undefined, end: number | undefined): number | undefined {
  return start === undefined || end === undefined ? undefined : Math.max(0, (end - start) / 1_000);
}

function spread(durations: readonly (number | undefined)[]): RunDurations | undefined {
  const seconds = durations.filter((duration) => duration !== undefined).sort((a, b) => a - b);
  if (seconds.length === 0) return undefined;
  return { runs: seconds.length, p50Seconds: quantile(seconds, 0.5), p95Seconds: quantile(seconds, 0.95) };
}

/** Returns the nearest rank: one of the values, of which there is one at least. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.ceil(sorted.length * share) - 1]!;
}
