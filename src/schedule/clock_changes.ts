import { CalendarSchedule } from "./calendar_schedule.ts";
import type { EpochMs } from "../base/epoch_ms.ts";
import type { Schedule } from "./schedule.ts";
import { SinceSchedule } from "./since_schedule.ts";
import type { WallMs } from "./time_zone.ts";

/** A clock change that touches runs of a schedule. */
export interface TouchedClockChange {
  /** `gap`: the clocks go forward and skip local times; `overlap`: they go back and repeat them. */
  readonly kind: "gap" | "overlap";
  /** The first instant with the new offset. */
  readonly at: EpochMs;
  /** The local times that are skipped or repeated: `firstWall <= t < endWall`. */
  readonly firstWall: WallMs;
  readonly endWall: WallMs;
  /** How many of these local times the schedule names. */
  readonly matches: number;
}

/** Yields the clock changes in `(from, to]` whose skipped or repeated local times the schedule names. `@every` has none. */
export function* touchedClockChanges(schedule: Schedule, from: EpochMs, to: EpochMs): Generator<TouchedClockChange> {
  if (schedule instanceof SinceSchedule) {
    return yield* touchedClockChanges(schedule.base, Math.max(from, schedule.since), to);
  }
  if (!(schedule instanceof CalendarSchedule)) return;
  let period = schedule.zone.periodAt(from);
  while (period.end <= to) {
    const at = period.end;
    const before = at + period.offsetMs;
    period = schedule.zone.periodAt(at);
    const after = at + period.offsetMs;
    const change = before < after
      ? { kind: "gap" as const, at, firstWall: before, endWall: after }
      : { kind: "overlap" as const, at, firstWall: after, endWall: before };
    const matches = schedule.times.count(change.firstWall, change.endWall);
    if (matches > 0) yield { ...change, matches };
  }
}
