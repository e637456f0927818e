import { CalendarSchedule } from "../schedule/calendar_schedule.ts";
import type { EpochMs } from "../base/epoch_ms.ts";
import { ExcludingSchedule } from "../schedule/exclusions/excluding_schedule.ts";
import { IntervalSchedule } from "../schedule/interval_schedule.ts";
import type { Schedule } from "../schedule/schedule.ts";
import { indexOf, type Span } from "./runs.ts";

/** Scheduled times, in order; those from `first` on are asked for. */
export interface ScheduledTimes {
  readonly times: ArrayLike<EpochMs>;
  readonly first: number;
}

/** The times of schedules in a span of time. Those of one are worked out once: many CronJobs share it. */
export class TimesOfSchedules {
  readonly #span: Span;
  readonly #bySchedule = new WeakMap<Schedule, Float64Array>();
  readonly #byText = new Map<string, Float64Array>();

  constructor(span: Span) {
    this.#span = span;
  }

  /** The times from `from` up to the end of the span; of those within one unit, whose Jobs would share a name, the first. */
  from(schedule: Schedule, from: EpochMs, unitMs: number): ScheduledTimes {
    if (schedule instanceof IntervalSchedule) return this.#intervals(schedule, from, unitMs);
    // A time from before the span may start in it, where runs are spread.
    if (!isCalendar(schedule) || from < this.#span.from) {
      return { times: timesOf(schedule, { from, to: this.#span.to }, unitMs), first: 0 };
    }
    const work = () => timesOf(schedule, this.#span, unitMs);
    const once = schedule instanceof CalendarSchedule ? () => this.#once(textOf(schedule), work) : work;
    const times = this.#bySchedule.getOrInsertComputed(schedule, once);
    return { times, first: indexOf(times, from) };
  }

  /** A run that starts late moves no later one off the grid: all from there on are among the times found before. */
  #intervals(schedule: IntervalSchedule, from: EpochMs, unitMs: number): ScheduledTimes {
    const { everyMs } = schedule;
    // Which of a unit is the first depends on where it begins.
    const isShared = everyMs >= unitMs && from >= this.#span.from;
    const begin = isShared ? this.#span.from + (from - this.#span.from) % everyMs : from;
    const grid = schedule.anchoredAt(begin - everyMs);
    const key = `@every ${everyMs} from ${begin} ${unitMs}`;
    const times = this.#once(key, () => timesOf(grid, { from: begin, to: this.#span.to }, unitMs));
    return { times, first: indexOf(times, from) };
  }

  #once(key: string, work: () => Float64Array): Float64Array {
    return this.#byText.getOrInsertComputed(key, work);
  }
}

/** Returns whether its times are whole minutes, and depend on nothing else than itself. */
function isCalendar(schedule: Schedule): boolean {
  return (schedule instanceof ExcludingSchedule ? schedule.base : schedule) instanceof CalendarSchedule;
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
