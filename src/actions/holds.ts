import { PAUSE, SUSPEND } from "../cronjob/api/annotations.ts";
import type { CronJob } from "../cronjob/api/cron_job.ts";
import type { CronJobEdit } from "../cronjob/api/cron_job_edit.ts";
import { findPause, inWords, isPaused, type PauseNote, readPauseNote } from "../cronjob/api/pause.ts";
import type { EpochMs } from "../base/epoch_ms.ts";

/** One of the things that keep the schedule of a CronJob from being followed because a user wanted that. */
export type Hold =
  /** A user paused it with this program. */
  | { readonly kind: "note"; readonly note: PauseNote }
  /** The controller found a reason. */
  | { readonly kind: "halt"; readonly message: string }
  /** It was written by other means; `end` undoes that, and `remedy` says how. */
  | { readonly kind: "foreign"; readonly message: string; readonly remedy: string; readonly end: CronJobEdit };

/** Finds all that would have to end before the schedule is followed. */
export function holdsOn(cronJob: CronJob, now: EpochMs): Hold[] {
  const { settings, stewardship, object } = cronJob;
  const note = lastingNote(cronJob, now);
  const holds: Hold[] = note ? [{ kind: "note", note }] : [];
  const foreign = (message: string, remedy: string, end: Partial<CronJobEdit>) =>
    void holds.push({ kind: "foreign", message, remedy, end: { annotations: {}, ...end } });
  if (settings.suspended && !note?.suspends) {
    if (stewardship.suspendedIn === "spec") {
      foreign("suspended by spec.suspend", "setting that to false", { spec: { suspend: false } });
    } else {
      foreign(`suspended by the annotation ${SUSPEND}`, "taking that away", {
        annotations: { [SUSPEND]: null },
      });
    }
  }
  if (cronJob.flavour.extrasIn === "spec" && isPaused(findPause({ kind: "none" }, object.spec.pause), now)) {
    foreign("paused by spec.pause", "taking that away", { spec: { pause: null } });
  }
  const reading = readPauseNote(object);
  if (reading.kind === "problem") {
    foreign(reading.message, "taking that away", { annotations: { [PAUSE]: null } });
  }
  if (isPausedAfterFailures(cronJob)) holds.push({ kind: "halt", message: "paused after failures in a row" });
  if (cronJob.lostRecord) holds.push({ kind: "halt", message: "held, as the API server has forgotten records" });
  return holds;
}

/** Returns a hold in words, and how it is ended if not by who asks. */
export function holdInWords(hold: Hold): string {
  switch (hold.kind) {
    case "note": {
      const { by } = hold.note;
      const end = by === undefined ? `taking the annotation ${PAUSE} away ends it` : `resume --by ${by} ends that`;
      return `paused ${inWords(hold.note)} (${end})`;
    }
    case "halt":
      return hold.message;
    case "foreign":
      return `${hold.message} (${hold.remedy} ends it)`;
  }
}

function lastingNote({ object, settings }: CronJob, now: EpochMs): PauseNote | undefined {
  const reading = readPauseNote(object);
  if (reading.kind !== "note") return undefined;
  const { note } = reading;
  if (note.until !== undefined && note.until <= now) return undefined;
  return note.suspends && !(settings.suspended && isSuspendedByNote(object)) ? undefined : note;
}

/** Field managers that write the note together with `spec.suspend`, or keep that true. */
const NOTE_MANAGERS = ["cronjob-controller-pause", "cronjob-controller-adoption", "cronjob-controller"];

/** Returns whether no other writer keeps `spec.suspend` as it is, as a manifest does, or has written it since the note. */
function isSuspendedByNote({ metadata: { managedFields = [] } }: CronJob["object"]): boolean {
  const writers = managedFields.filter(({ fieldsV1 }) => {
    const spec = (fieldsV1 as Record<string, Record<string, unknown>> | undefined)?.["f:spec"];
    return spec !== undefined && "f:suspend" in spec;
  });
  return writers.every(({ manager }) => NOTE_MANAGERS.includes(manager ?? ""));
}

function isPausedAfterFailures({ recordedFailures, resumeMark }: CronJob): boolean {
  return recordedFailures?.pausedSince !== undefined && recordedFailures.pausedWith === resumeMark;
}
