import type { CronJob } from "../../cronjob/api/cron_job.ts";
import type { RunDurations } from "../../cronjob/api/types.ts";
import type { Durations } from "../../simulate/report.ts";
import { ConfigError } from "../errors.ts";
import { durationMs } from "../flags/options.ts";

const ASSUMED_MS = 60_000;
const LONGEST_MS = 366 * 86_400_000;

/** Reads `--durations`. @throws {ConfigError} saying what may be written */
export function readDurations(text: string): Durations {
  if (text === "history" || text === "p95") return { by: "p95", assumedMs: ASSUMED_MS };
  if (text === "p50") return { by: "p50", assumedMs: ASSUMED_MS };
  try {
    return { by: "assumed", assumedMs: wholeSeconds(durationMs(1_000, LONGEST_MS)(text)) };
  } catch {
    throw new ConfigError(
      `--durations must be history, p50, p95 or a length such as 30s or 1h, current value is ${text}`,
    );
  }
}

/** Returns how long each run of a CronJob lasts: no longer than its Jobs may. */
export function durationOf(
  { object }: CronJob,
  measured: RunDurations | undefined,
  { by, assumedMs }: Durations,
): { durationMs: number; isMeasured: boolean } {
  const seconds = by === "assumed" ? undefined : by === "p50" ? measured?.p50Seconds : measured?.p95Seconds;
  const { activeDeadlineSeconds } = object.spec.jobTemplate?.spec ?? {};
  const longestMs = typeof activeDeadlineSeconds === "number" ? activeDeadlineSeconds * 1_000 : Infinity;
  const ms = Math.min(seconds === undefined ? assumedMs : seconds * 1_000, longestMs);
  return { durationMs: wholeSeconds(ms), isMeasured: seconds !== undefined };
}

/** Rounded up, and one at least: every run is active for a while. */
function wholeSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1_000)) * 1_000;
}
