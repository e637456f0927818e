import type { EpochMs } from "../../base/epoch_ms.ts";
import type { Schedule } from "../schedule.ts";
import { SinceSchedule } from "../since_schedule.ts";
import { unionOf, UnionSchedule } from "../union_schedule.ts";
import { ExcludingSchedule } from "./excluding_schedule.ts";
import type { Span } from "./span.ts";

/** The parts of a schedule. */
export interface ScheduleParts {
  /** The whole schedule before anything is excluded. */
  readonly base: Schedule;
  /** The schedules that the base is the union of, before anything is excluded: one at least. */
  readonly parts: readonly Schedule[];
  /** The excluded stretches that hold an instant of `[from, to)`; undefined where nothing is excluded. */
  readonly stretches: ((from: EpochMs, to: EpochMs) => Iterable<Span>) | undefined;
}

/** Takes a schedule apart. All schedules of a union leave out the same times. */
export function partsOf(schedule: Schedule): ScheduleParts {
  const whole = schedule instanceof UnionSchedule ? schedule.parts : [schedule];
  const parts = whole.map(beforeExclusions);
  const base = unionOf(parts);
  const excluding = whole.map(unbound).find((part) => part instanceof ExcludingSchedule);
  return { base, parts, stretches: excluding && ((from, to) => excluding.stretches(from, to)) };
}

function beforeExclusions(part: Schedule): Schedule {
  if (part instanceof SinceSchedule) return new SinceSchedule(beforeExclusions(part.base), part.since);
  return part instanceof ExcludingSchedule ? part.base : part;
}

function unbound(part: Schedule): Schedule {
  return part instanceof SinceSchedule ? part.base : part;
}
