/** A part of a schedule that an error can point at. */
export type ScheduleField =
  | "schedule"
  | "time-zone"
  | "minute"
  | "hour"
  | "day-of-month"
  | "month"
  | "day-of-week"
  | "descriptor"
  | "duration"
  | `exclude${string}`;

/** An error in a schedule: its place, the wrong text there, and the text to write instead. */
export class ScheduleError extends Error {
  override readonly name = "ScheduleError";

  constructor(
    readonly field: ScheduleField,
    /** The offending text, in full. */
    readonly text: string,
    readonly remedy: string,
  ) {
    super(`${field} ${quote(text)}: ${remedy}`);
  }
}

const SHOWN_CHARACTERS = 60;

/** Returns the text as a message shows it: quoted, control characters escaped, and never longer than a line. */
export function quote(text: string): string {
  return JSON.stringify(text.length > SHOWN_CHARACTERS ? text.slice(0, SHOWN_CHARACTERS) + "…" : text);
}
