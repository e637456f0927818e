import { parseTime } from "../../base/epoch_ms.ts";
import { RESUME } from "./annotations.ts";
import { recordOf, type StoredCronJob } from "./stored_cron_job.ts";
import type { RecordLost } from "./types.ts";

/** Reads it; what is none counts as absent, as does what a user has answered by `resume`. */
export function readLostRecord(cronJob: StoredCronJob): RecordLost | undefined {
  const { since, resume = "" } = recordOf(cronJob, "recordLost") ?? {};
  return parseTime(since) === undefined || resume !== resumeValue(cronJob) ? undefined : { since: since!, resume };
}

/** Returns the value of the annotation `resume`; empty for none. */
export function resumeValue({ metadata }: Pick<StoredCronJob, "metadata">): string {
  return metadata.annotations?.[RESUME] ?? "";
}
