import { OBSERVED_SCHEDULES } from "./annotations.ts";
import { type Instants, readInstants } from "./schema.ts";
import { OBSERVED_ENTRIES } from "./status_fields.ts";
import { readJson, type StoredCronJob } from "./stored_cron_job.ts";
import type { ObservedEntry } from "./types.ts";

/** One of the schedules as last seen, and since when it holds: no run of it from before is started. */
export type ObservedPart = Instants<ObservedEntry>;

/** Reads what was recorded of each schedule; of one alone a closed status records nothing. */
export function readObservedSchedules({ flavour, status, metadata }: StoredCronJob): readonly ObservedPart[] {
  const recorded = flavour.openStatus
    ? status.schedule?.entries ?? [status.schedule]
    : readJson(metadata.annotations?.[OBSERVED_SCHEDULES]);
  const parts = readInstants(OBSERVED_ENTRIES, recorded) ?? [];
  return parts.filter(({ text, since }) => text !== undefined && since !== undefined);
}
