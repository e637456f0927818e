import type { EpochMs } from "../../schedule/epoch_ms.ts";
import { latestMissed } from "../../schedule/missed_times.ts";
import type { Schedule } from "../../schedule/schedule.ts";
import type { Flavour } from "../api/flavour.ts";
import type { Stretch } from "../api/passed_over.ts";
import { keepsOrder, type Settings } from "../api/settings.ts";
import type { Findings, Line, OpenStretch } from "./findings.ts";
import { endOfUnit } from "./start_point.ts";
import { withoutTimes } from "./stretches.ts";

/** What joins a line, and when. */
export interface Arrivals {
  /** What waits already. */
  readonly waiting: readonly OpenStretch[];
  /** The stretch that now is in. */
  readonly open: OpenStretch;
  /** No older time joins. */
  readonly startableFrom: EpochMs;
  /** The newest instant whose run may start. */
  readonly until: EpochMs;
  /** Up to when this process has found what is missed. */
  readonly missedUntil: EpochMs;
}

/**
 * Returns the missed runs of `catchUp: All`. A time joins the line once, where its deadline and the window still allow
 * it; from then on it waits for as long as it takes.
 */
export function lineUp(schedule: Schedule, settings: Settings, flavour: Flavour, arrivals: Arrivals): Line {
  const { open, startableFrom, until, missedUntil } = arrivals;
  // A clock that was ahead recorded what is still to come.
  const waiting = arrivals.waiting.filter((part) => firstOf(schedule, part)! <= until);
  const joinedUntil = Math.max(open.after, ...waiting.map(({ before }) => before - 1));
  const from = Math.max(joinedUntil, startableFrom);
  const grid = schedule.anchoredAt(open.anchor);
  const newest = latestMissed(grid, from, until);
  const isPunctual = newest !== undefined && newest > missedUntil && grid.next(from) === newest &&
    (waiting.length === 0 || !keepsOrder(settings.policy));
  const stretches = newest === undefined
    ? waiting
    : join(waiting, { ...open, after: from, before: endOfUnit(newest, flavour) + 1 });
  const line = newestOf(schedule, stretches, settings.maxCatchUpRuns);
  const first = line.stretches[0] && firstOf(schedule, line.stretches[0]);
  return { ...line, first: isPunctual ? newest : first, isPunctual };
}

function join(waiting: readonly OpenStretch[], fresh: OpenStretch): readonly OpenStretch[] {
  const last = waiting.at(-1);
  if (last === undefined || last.before - 1 !== fresh.after) return [...waiting, fresh];
  return [...waiting.slice(0, -1), { ...last, before: fresh.before }];
}

/** Returns the newest times, at most so many. */
function newestOf(schedule: Schedule, stretches: readonly OpenStretch[], most: number) {
  const kept: OpenStretch[] = [];
  let count = 0;
  for (const stretch of stretches.toReversed()) {
    const left = most - count;
    if (left <= 0) break;
    const size = countOf(schedule, stretch);
    kept.unshift(size <= left ? stretch : { ...stretch, after: beforeLast(schedule, stretch, left) });
    count += Math.min(size, left);
  }
  return { stretches: kept, count };
}

/** Returns an instant that the last so many times of a stretch come after. */
function beforeLast(schedule: Schedule, { anchor, before }: OpenStretch, many: number): EpochMs {
  const grid = schedule.anchoredAt(anchor);
  let time = before;
  for (let left = many; left > 0; left--) time = grid.previous(time) ?? time;
  return time - 1;
}

/** Returns the first scheduled time of a stretch. */
function firstOf(schedule: Schedule, { anchor, after, before }: OpenStretch): EpochMs | undefined {
  const first = schedule.anchoredAt(anchor).next(after);
  return first !== undefined && first < before ? first : undefined;
}

/** The scheduled times of stretches, found one by one. */
export function* timesOf(schedule: Schedule, stretches: readonly OpenStretch[]): Generator<EpochMs> {
  for (const { anchor, after, before } of stretches) yield* schedule.anchoredAt(anchor).between(after, before - 1);
}

/** Returns how many scheduled times of a stretch lie up to `until`. */
function countOf(schedule: Schedule, { anchor, after, before }: OpenStretch, until = Infinity): number {
  return schedule.anchoredAt(anchor).count(after, Math.max(after, Math.min(before - 1, until)));
}

/** Returns how many scheduled times of all of them lie up to `until`. */
export function countAll(schedule: Schedule | undefined, stretches: readonly OpenStretch[], until?: EpochMs): number {
  return schedule ? stretches.reduce((sum, stretch) => sum + countOf(schedule, stretch, until), 0) : 0;
}

/** Returns what waits once the decision is recorded: what cannot be followed just now waits on. */
export function stillWaiting({ input, start, due, scheduled }: Findings): readonly OpenStretch[] {
  const { flavour } = input.cronJob;
  if (scheduled.kind === "wait") return due.line?.stretches ?? [];
  // Its name is taken.
  return scheduled.kind === "done"
    ? lineWithout(start.waiting, scheduled.request.scheduledTime, flavour)
    : start.waiting;
}

/** Returns the stretches without a time, and those whose Jobs would have its name. */
export function lineWithout(
  stretches: readonly OpenStretch[],
  time: EpochMs,
  flavour: Flavour,
): readonly OpenStretch[] {
  return withoutTimes(stretches, [time]).map((part) =>
    part.after === time ? { ...part, after: endOfUnit(time, flavour) } : part
  );
}

/** The same as it is recorded: each stretch begins on the grid, so that `@every` counts on from there. */
export function waitingAfter(findings: Findings): readonly Stretch[] {
  const { input: { cronJob }, start: { schedule } } = findings;
  if (!schedule) return cronJob.waiting;
  return stillWaiting(findings).flatMap((stretch) => {
    const first = firstOf(schedule, stretch);
    if (first === undefined) return [];
    const after = schedule.anchoredAt(stretch.anchor).previous(first) ?? stretch.anchor;
    return [{ after, before: stretch.before }];
  });
}
