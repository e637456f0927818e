import type { DeepReadonly } from "../../kube/object.ts";
import { type EpochMs, parseTime } from "../../base/epoch_ms.ts";
import { PAUSE } from "./annotations.ts";
import {
  admitted,
  flag,
  type Instants,
  object,
  parseAdmitted,
  readInstants,
  TEXT,
  text,
  TIME,
  type ValueOf,
  writeInstants,
} from "./schema.ts";
import type { ExtraSpec } from "./spec_fields.ts";
import type { CronJobObject } from "./types.ts";

/** Nothing is started on schedule meanwhile. */
export interface Pause {
  readonly in: "spec" | "annotation";
  /** Undefined: until it is ended. */
  readonly until: EpochMs | undefined;
  /** Undefined where it is not known. */
  readonly since: EpochMs | undefined;
  readonly message: string;
}

/** The content of the annotation `pause`: who paused a CronJob, and why. */
export type PauseNote = Instants<ValueOf<typeof NOTE>>;

const NOTE = object("Who paused a CronJob, and why.", {
  id: text("Of the request that wrote it."),
  by: TEXT,
  reason: TEXT,
  resumedBy: text("The user who ended it before its time."),
  since: TIME,
  until: TIME,
  suspends: flag("Whether it is `spec.suspend` that pauses the CronJob, and this only says whose that is."),
});

/** The annotation, or what is wrong with it. */
export type PauseReading =
  | { readonly kind: "none" }
  | { readonly kind: "note"; readonly note: PauseNote }
  | { readonly kind: "problem"; readonly message: string };

const EXAMPLE = '{"until":"2026-01-02T03:04:05Z","reason":"migration"}';

/** Reads the annotation `pause`, which every flavour understands. */
export function readPauseNote({ metadata }: Pick<DeepReadonly<CronJobObject>, "metadata">): PauseReading {
  const value = metadata.annotations?.[PAUSE];
  if (value === undefined) return { kind: "none" };
  try {
    return { kind: "note", note: noteOf(value) };
  } catch (error) {
    const outcome = "cannot be read, so no scheduled run starts";
    return {
      kind: "problem",
      message: `annotation ${PAUSE}: ${JSON.stringify(value)} ${outcome}: ${(error as Error).message}`,
    };
  }
}

/** Returns the value of the annotation `pause`, without what is not known; `readPauseNote` reads it. */
export function writePauseNote({ suspends, ...note }: PauseNote): string {
  return JSON.stringify(writeInstants(NOTE, { ...note, suspends: suspends || undefined }));
}

function noteOf(value: string): PauseNote {
  const said = parseAdmitted<Record<string, unknown>>({ type: "object" }, value, EXAMPLE);
  const known = Object.entries(said).filter(([name]) => Object.hasOwn(NOTE.properties!, name));
  return readInstants(NOTE, admitted(NOTE, Object.fromEntries(known)))!;
}

/** Returns what pauses a CronJob: where the spec and the annotation both do, that which lasts longer. */
export function findPause(reading: PauseReading, inSpec?: DeepReadonly<ExtraSpec>["pause"] | null): Pause | undefined {
  const [first, ...others] = [...ofSpec(inSpec), ...ofAnnotation(reading)];
  return first && others.reduce((longest, pause) => endOf(pause) > endOf(longest) ? pause : longest, first);
}

function ofSpec(pause: DeepReadonly<ExtraSpec>["pause"] | null | undefined): Pause[] {
  if (pause === undefined || pause === null) return [];
  const message = pause.reason ?? "spec.pause is set";
  return [{ in: "spec", until: parseTime(pause.until), since: undefined, message }];
}

function ofAnnotation(reading: PauseReading): Pause[] {
  switch (reading.kind) {
    case "none":
      return [];
    case "problem":
      return [{ in: "annotation", until: undefined, since: undefined, message: reading.message }];
    case "note": {
      const { suspends, until, since } = reading.note;
      return suspends ? [] : [{ in: "annotation", until, since, message: inWords(reading.note) }];
    }
  }
}

/** `by ana: "migration"` */
export function inWords({ by, reason }: Pick<PauseNote, "by" | "reason">): string {
  const why = reason === undefined ? undefined : JSON.stringify(reason);
  if (by !== undefined) return why === undefined ? `by ${by}` : `by ${by}: ${why}`;
  return why ?? `annotation ${PAUSE} is set`;
}

function endOf({ until = Infinity }: Pause): number {
  return until;
}

/** Returns when a pause ended by itself, or by hand; undefined where none did. */
export function pauseEnd(pause: Pause | undefined, now: EpochMs): EpochMs | undefined {
  return pause?.until !== undefined && pause.until <= now ? pause.until : undefined;
}

/** Returns whether it lasts. */
export function isPaused(pause: Pause | undefined, now: EpochMs): boolean {
  return pause !== undefined && pauseEnd(pause, now) === undefined;
}
