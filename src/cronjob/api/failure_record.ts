import { type EpochMs, formatTime, parseTime } from "../../base/epoch_ms.ts";
import { recordOf, type StoredCronJob } from "./stored_cron_job.ts";
import type { FailuresInARow } from "./types.ts";

/** Runs that failed in a row, as it is recorded: each Job counts once, whatever dies meanwhile. */
export interface FailureRecord {
  readonly count: number;
  /** The Jobs that were counted last, the last one first: {@linkcode COUNTED_JOBS} at most. */
  readonly counted: readonly CountedJob[];
  /** Since when the schedule is paused for them, and what it was paused with; undefined while it is followed. */
  readonly paused: { readonly since: EpochMs; readonly mark: string } | undefined;
  /** When it was last followed again after such a pause. */
  readonly resumedAt: EpochMs | undefined;
}

export interface CountedJob {
  readonly endTime: EpochMs;
  readonly name: string;
}

/** How many counted Jobs are recorded; what ended before all of these counts as counted. */
export const COUNTED_JOBS = 20;

/** Reads the record; what is none counts as absent. */
export function readFailures(cronJob: StoredCronJob): FailureRecord | undefined {
  const record = recordOf(cronJob, "failuresInARow");
  if (typeof record?.count !== "number") return undefined;
  const counted = Array.isArray(record.counted) ? record.counted as Partial<CountedText | null>[] : [];
  const since = parseTime(record.pausedSince);
  return {
    count: record.count,
    counted: counted.flatMap((job) => {
      const endTime = parseTime(job?.endTime);
      return endTime === undefined ? [] : [{ endTime, name: String(job?.jobName) }];
    }),
    paused: since === undefined ? undefined : { since, mark: record.pausedWith ?? "" },
    resumedAt: parseTime(record.resumedAt),
  };
}

type CountedText = NonNullable<FailuresInARow["counted"]>[number];

/** Returns the text of the record; `readFailures` reads it. */
export function writeFailures({ count, counted, paused, resumedAt }: FailureRecord): FailuresInARow {
  return {
    count,
    counted: counted.map(({ endTime, name }) => ({ endTime: formatTime(endTime), jobName: name })),
    ...(paused && { pausedSince: formatTime(paused.since), pausedWith: paused.mark }),
    ...(resumedAt !== undefined && { resumedAt: formatTime(resumedAt) }),
  };
}
