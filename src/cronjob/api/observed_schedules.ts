import type { DeepReadonly } from "../../kube/object.ts";
import { type EpochMs, formatTime, parseTime } from "../../base/epoch_ms.ts";
import { OBSERVED_SCHEDULES } from "./annotations.ts";
import { readJson, type StoredCronJob } from "./stored_cron_job.ts";
import type { ObservedEntry } from "./types.ts";

/** One of the schedules as last seen, and since when it holds: no run of it from before is started. */
export interface ObservedPart {
  readonly text: string;
  readonly timeZone: string | undefined;
  readonly since: EpochMs;
}

/** Reads what was recorded of each schedule; of one alone a closed status records nothing. */
export function readObservedSchedules({ flavour, status, metadata }: StoredCronJob): readonly ObservedPart[] {
  const recorded = flavour.openStatus
    ? status.schedule?.entries ?? [status.schedule]
    : readJson(metadata.annotations?.[OBSERVED_SCHEDULES]);
  if (!Array.isArray(recorded)) return [];
  return (recorded as readonly (DeepReadonly<ObservedEntry> | null | undefined)[]).flatMap((entry) => {
    const { text = "", timeZone, since: time } = entry ?? {};
    const since = parseTime(time);
    return since === undefined ? [] : [{ text, timeZone, since }];
  });
}

/** Returns the text of what is recorded; `readObservedSchedules` reads it. */
export function writeObservedSchedules(parts: readonly ObservedPart[]): ObservedEntry[] {
  return parts.map(({ text, timeZone, since }) => ({
    text,
    ...(timeZone !== undefined && { timeZone }),
    since: formatTime(since),
  }));
}
