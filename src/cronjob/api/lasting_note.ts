import type { EpochMs } from "../../base/epoch_ms.ts";
import type { CronJob } from "./cron_job.ts";
import { type PauseNote, readPauseNote } from "./pause.ts";

/**
 * Returns the note of a pause that is still on: its end has not come, and where it only says whose `spec.suspend` is, no
 * one else has written that.
 */
export function lastingNote({ object, settings }: CronJob, now: EpochMs): PauseNote | undefined {
  const reading = readPauseNote(object);
  if (reading.kind !== "note") return undefined;
  const { note } = reading;
  if (note.until !== undefined && note.until <= now) return undefined;
  return note.suspends && !(settings.suspended && isSuspendedByNote(object)) ? undefined : note;
}

/** Field managers that write the note together with `spec.suspend`, or keep that true. */
const NOTE_MANAGERS = ["cronjob-controller-pause", "cronjob-controller-adoption", "cronjob-controller"];

/** Returns whether no other writer keeps `spec.suspend` as it is, as a manifest does, or has written it since the note. */
function isSuspendedByNote({ metadata: { managedFields } }: CronJob["object"]): boolean {
  const writers = (managedFields ?? []).filter(({ fieldsV1 }) => {
    const spec = (fieldsV1 as Record<string, Record<string, unknown>> | undefined)?.["f:spec"];
    return spec !== undefined && "f:suspend" in spec;
  });
  return writers.every(({ manager }) => NOTE_MANAGERS.includes(manager ?? ""));
}
