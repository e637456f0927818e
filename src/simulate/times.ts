import { CalendarSchedule } from "../schedule/calendar_schedule.ts";
import type { EpochMs } from "../base/epoch_ms.ts";
import type { Schedule } from "../schedule/schedule.ts";
import { indexOf, type Span } from "./runs.ts";

/** Scheduled times, in order; those from `first` on are asked for. */
export interface ScheduledTimes {
  readonly times: ArrayLike<EpochMs>;
  readonly first: number;
}

/** The times of schedules in a span of time. Those of a calendar are worked out once: many CronJobs share it. */
export class TimesOfSchedules {
  readonly #span: Span;
  readonly #byText = new Map<string, Float64Array>();

  constructor(span: Span) {
    this.#span = span;
  }

  /** The times from `from` up to the end of the span; of those within one unit, whose Jobs would share a name, the first. */
  from(schedule: Schedule, from: EpochMs, unitMs: number): ScheduledTimes {
    // A time from before the span may start in it, where runs are spread.
    if (!(schedule instanceof CalendarSchedule) || from < this.#span.from) {
      return { times: timesOf(schedule, { from, to: this.#span.to }, unitMs), first: 0 };
    }
    const times = this.#byText.getOrInsertComputed(textOf(schedule), () => timesOf(schedule, this.#span, unitMs));
    return { times, first: indexOf(times, from) };
  }
}

/** Two schedules that run at the same times by their fields, such as two of `H`, have the same. */
function textOf({ fields, zone, clockChangePolicy }: CalendarSchedule): string {
  return JSON.stringify([fields, zone.name, clockChangePolicy]);
}

/** Each that is started is the anchor of the next: the end of an excluded stretch moves an interval off its grid. */
function timesOf(schedule: Schedule, { from, to }: Span, unitMs: number): Float64Array {
  const times: EpochMs[] = [];
  for (let time = schedule.next(from - 1); time !== undefined && time < to;) {
    times.push(time);
    const endOfUnit = (Math.floor(time / unitMs) + 1) * unitMs - 1;
    time = schedule.anchoredAt(time).next(endOfUnit);
  }
  return Float64Array.from(times);
}
