import { PAUSE, RESUME, SUSPEND } from "../cronjob/api/annotations.ts";
import type { CronJob } from "../cronjob/api/cron_job.ts";
import type { CronJobEdit } from "../cronjob/api/cron_job_edit.ts";
import { lastingNote } from "../cronjob/api/lasting_note.ts";
import { findPause, inWords, isPaused, type PauseNote, readPauseNote, writePauseNote } from "../cronjob/api/pause.ts";
import type { EpochMs } from "../base/epoch_ms.ts";

/** The request that ends a hold. */
export interface Resumption {
  readonly id: string;
  readonly by: string | undefined;
  readonly now: EpochMs;
}

/** A reason not to follow the schedule of a CronJob: a user's pause or suspension, or a halt by the controller. */
export type Hold =
  & (
    /** A user paused it with this program. */
    | { readonly kind: "note"; readonly note: PauseNote }
    /** The controller halted it, or a user paused it by other means than this program. */
    | { readonly kind: "halt" | "foreign" }
  )
  & {
    /** The words that follow the CronJob's name. */
    readonly message: string;
    /** How to end the hold where the request does not. */
    readonly remedy?: string;
    readonly end: (request: Resumption) => CronJobEdit;
  };

/** Finds all holds that must end before the schedule is followed. */
export function holdsOn(cronJob: CronJob, now: EpochMs): Hold[] {
  const { settings, stewardship, object } = cronJob;
  const note = lastingNote(cronJob, now);
  const holds: Hold[] = note ? [holdBy(note, cronJob)] : [];
  const halt = (message: string) =>
    void holds.push({ kind: "halt", message, end: ({ id }) => ({ annotations: { [RESUME]: id } }) });
  const foreign = (message: string, remedy: string, end: Partial<CronJobEdit>) =>
    void holds.push({
      kind: "foreign",
      message,
      remedy: `${remedy} ends it`,
      end: () => ({ annotations: {}, ...end }),
    });
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
  if (isPausedAfterFailures(cronJob)) halt("paused after failures in a row");
  if (cronJob.lostRecord) halt("held, as the API server has forgotten records");
  return holds;
}

function holdBy(note: PauseNote, { stewardship }: CronJob): Hold {
  const { by, suspends } = note;
  return {
    kind: "note",
    message: `paused ${inWords(note)}`,
    remedy: by === undefined ? `taking the annotation ${PAUSE} away ends it` : `resume --by ${by} ends that`,
    note,
    // The note stays, with its author and its end: runs that came due before the end were not missed.
    end({ by, now }) {
      const ended = { [PAUSE]: writePauseNote({ ...note, until: now, resumedBy: by }) };
      if (!suspends) return { annotations: ended };
      return stewardship.suspendedIn === "spec"
        ? { annotations: ended, spec: { suspend: false } }
        : { annotations: { ...ended, [SUSPEND]: null } };
    },
  };
}

/** Returns a hold in words, with its remedy. */
export function holdInWords({ message, remedy }: Hold): string {
  return remedy === undefined ? message : `${message} (${remedy})`;
}

function isPausedAfterFailures({ recordedFailures, resumeMark }: CronJob): boolean {
  return recordedFailures?.pausedSince !== undefined && recordedFailures.pausedWith === resumeMark;
}
