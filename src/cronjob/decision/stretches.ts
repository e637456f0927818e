import type { EpochMs } from "../../base/epoch_ms.ts";
import type { Stretch } from "../api/types.ts";

/** How many stretches a CronJob records at most; beyond it the shortest is forgotten, and counts as started. */
const RECORDED_STRETCHES = 10;
/** How long one is recorded after its end. */
const RECORDED_MS = 24 * 60 * 60_000;

export interface Starts {
  /** The stretches recorded as passed over. */
  readonly recorded: readonly Stretch[];
  /** The newest scheduled time that was started when that was recorded, or from when on they count. */
  readonly newest: EpochMs;
  /** Times that are known to have been started, in any order. */
  readonly times: readonly EpochMs[];
}

export interface StretchRules {
  /** Whether there are scheduled times in it. */
  readonly holdsTimes: (stretch: Stretch) => boolean;
  /** Whether the run at its end looks as if a clock were ahead, though it passed over nothing. */
  readonly looksAhead: (stretch: Stretch) => boolean;
  /** Whether the status is not to say of the run at its end that it was started, as its time is far away. */
  readonly isFarAhead: (stretch: Stretch) => boolean;
}

/**
 * Finds what was passed over so far: what was recorded, less what was started in it since, and what newer starts went
 * past. Whatever lies in none of these stretches, up to the newest start, counts as started. So one that is forgotten
 * holds runs back, should the clock go back there; it never lets one start twice.
 */
export function findPassedOver({ recorded, newest, times }: Starts, rules: StretchRules): readonly Stretch[] {
  let stretches = recorded;
  let last = newest;
  for (const time of times.toSorted((a, b) => a - b)) {
    if (time > last) {
      const fresh = { after: last, before: time };
      const isProof = () => rules.looksAhead(fresh) && !proves(stretches, time);
      if (rules.isFarAhead(fresh) || rules.holdsTimes(fresh) || isProof()) stretches = [...stretches, fresh];
      last = time;
    } else if (isAmong(stretches, time)) {
      stretches = stretches.flatMap((stretch) => isIn(stretch, time) ? split(stretch, time, rules) : [stretch]);
    }
  }
  return stretches;
}

/**
 * Returns whether this time is recorded to have come after what was passed over: this controller started it, whatever
 * its clock.
 */
export function proves(stretches: readonly Stretch[], time: EpochMs): boolean {
  return stretches.some(({ before }) => before <= time && time - before <= RECORDED_MS);
}

/** Returns the stretches that are still worth recording, oldest first: the newest, and the longest of the others. */
export function toRecord(stretches: readonly Stretch[], now: EpochMs): Stretch[] {
  const recent = stretches.filter(({ before }) => before > now - RECORDED_MS).sort((a, b) => b.before - a.before);
  const [newest, ...others] = recent;
  if (newest === undefined) return [];
  const longest = others.sort((a, b) => lengthOf(b) - lengthOf(a)).slice(0, RECORDED_STRETCHES - 1);
  return [newest, ...longest].sort((a, b) => a.before - b.before);
}

/**
 * Returns the newest time that is recorded as started: the last, or one that a clock too far ahead started and that is
 * to come.
 */
export function newestRecorded(last: EpochMs | undefined, stretches: readonly Stretch[]): EpochMs | undefined {
  const newest = Math.max(last ?? -Infinity, ...stretches.map(({ before }) => before));
  return newest === -Infinity ? undefined : newest;
}

/** Returns whether a scheduled time lies in what was passed over. */
export function isAmong(stretches: readonly Stretch[], time: EpochMs): boolean {
  return stretches.some((stretch) => isIn(stretch, time));
}

/**
 * Returns what is left of stretches of which times were started, each in order: what lies before one is done, whatever
 * became of its Job. `endOf` says up to where a time is.
 */
export function withStarted<Of extends Stretch>(
  stretches: readonly Of[],
  times: readonly EpochMs[],
  endOf: (time: EpochMs) => EpochMs = (time) => time,
): readonly Of[] {
  const startedIn = (stretch: Stretch) => times.filter((time) => isIn(stretch, time)).map(endOf);
  return stretches.map((stretch) => ({ ...stretch, after: Math.max(stretch.after, ...startedIn(stretch)) }));
}

function isIn({ after, before }: Stretch, time: EpochMs): boolean {
  return after < time && time < before;
}

function split({ after, before }: Stretch, time: EpochMs, { holdsTimes, isFarAhead }: StretchRules): Stretch[] {
  return [{ after, before: time }, { after: time, before }].filter((part) => holdsTimes(part) || isFarAhead(part));
}

function lengthOf({ after, before }: Stretch): number {
  return before - after;
}
