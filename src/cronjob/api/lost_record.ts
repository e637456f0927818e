import { RESUME } from "./annotations.ts";
import { recordOf } from "./records.ts";
import type { StoredCronJob } from "./stored_cron_job.ts";
import type { RecordLost } from "./types.ts";

/** Reads the record; an unreadable one counts as absent, and so does one that a user has answered by `resume`. */
export function readLostRecord(cronJob: StoredCronJob): RecordLost | undefined {
  const lost = recordOf(cronJob, "recordLost");
  return lost?.resume === resumeValue(cronJob) ? lost : undefined;
}

/** Returns the value of the annotation `resume`; empty for none. */
export function resumeValue({ metadata }: Pick<StoredCronJob, "metadata">): string {
  return metadata.annotations?.[RESUME] ?? "";
}
