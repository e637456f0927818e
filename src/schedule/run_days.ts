import type { CalendarFields } from "./grammar.ts";
import { type DayBits, MatchingDays } from "./matching_days.ts";
import { type EpochDay, monthOf } from "./month.ts";

interface MonthRuns {
  readonly firstDay: EpochDay;
  readonly endDay: EpochDay;
  /** Of each schedule. */
  readonly days: readonly DayBits[];
}

const KEPT_MONTHS = 256;

/** On which days each of several schedules runs; worked out once a month. */
export class RunDays {
  readonly #schedules: readonly MatchingDays[];
  readonly #months = new Map<EpochDay, MonthRuns>();
  #lastMonth: MonthRuns | undefined;

  constructor(schedules: readonly CalendarFields[]) {
    this.#schedules = schedules.map((fields) => new MatchingDays(fields));
  }

  /** Whether the schedule of this index runs on the day. */
  has(index: number, day: EpochDay): boolean {
    const { firstDay, days } = this.#monthAt(day);
    return (days[index]! & 1 << (day - firstDay)) !== 0;
  }

  #monthAt(day: EpochDay): MonthRuns {
    const last = this.#lastMonth;
    if (last !== undefined && last.firstDay <= day && day < last.endDay) return last;
    const month = monthOf(day);
    const { firstDay, length } = month;
    let known = this.#months.get(firstDay);
    if (known === undefined) {
      known = { firstDay, endDay: firstDay + length, days: this.#schedules.map((days) => days.in(month)) };
      if (this.#months.size >= KEPT_MONTHS) this.#months.clear();
      this.#months.set(firstDay, known);
    }
    return this.#lastMonth = known;
  }
}
