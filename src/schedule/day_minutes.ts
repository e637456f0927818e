import type { CalendarFields } from "./grammar.ts";

const LENGTH = 1_440;
const WORDS = LENGTH / 32;

/** Some minutes of a day, counted from midnight by the wall clock. */
export class DayMinutes {
  static readonly LENGTH = LENGTH;
  readonly #words = new Int32Array(WORDS);

  /** The times of a day on which a schedule runs. */
  static of({ hour, minute }: CalendarFields): DayMinutes {
    const day = new DayMinutes();
    for (const h of hour) {
      for (const m of minute) day.add(h * 60 + m, h * 60 + m + 1);
    }
    return day;
  }

  /** The covered minutes of a day, of the day after it, and so on, if each of these minutes begins so many covered ones. */
  static covered(begins: DayMinutes, length: number): DayMinutes[] {
    const days: DayMinutes[] = [new DayMinutes()];
    for (const [from, to] of begins.runs()) {
      const end = to - 1 + length;
      for (let day = Math.floor(from / LENGTH); day * LENGTH < end; day++) {
        (days[day] ??= new DayMinutes()).add(Math.max(0, from - day * LENGTH), Math.min(LENGTH, end - day * LENGTH));
      }
    }
    return days;
  }

  /** Adds `from <= minute < to`. */
  add(from: number, to: number): void {
    for (let minute = from; minute < to;) {
      const bit = minute & 31;
      const count = Math.min(32 - bit, to - minute);
      this.#words[minute >> 5]! |= count === 32 ? -1 : ((1 << count) - 1) << bit;
      minute += count;
    }
  }

  addAll(others: DayMinutes): void {
    for (let i = 0; i < WORDS; i++) this.#words[i]! |= others.#words[i]!;
  }

  get isFull(): boolean {
    return this.#words.every((word) => word === -1);
  }

  has(minute: number): boolean {
    return (this.#words[minute >> 5]! & 1 << (minute & 31)) !== 0;
  }

  /** The stretch without a gap around a minute, `from <= minute < to`; undefined where that is none of them. */
  around(minute: number): readonly [from: number, to: number] | undefined {
    if (!this.has(minute)) return undefined;
    let [from, to] = [minute, minute + 1];
    while (from > 0 && this.has(from - 1)) from -= this.#isFullWord(from - 32) ? 32 : 1;
    while (to < LENGTH && this.has(to)) to += this.#isFullWord(to) ? 32 : 1;
    return [from, to];
  }

  /** Whether a word begins with the minute and has all of its minutes. A search passes thousands of whole days. */
  #isFullWord(minute: number): boolean {
    return (minute & 31) === 0 && this.#words[minute >> 5] === -1;
  }

  /** All stretches without a gap, in order. */
  *runs(): Generator<readonly [from: number, to: number]> {
    for (let minute = 0; minute < LENGTH; minute++) {
      const run = this.around(minute);
      if (!run) continue;
      yield run;
      minute = run[1];
    }
  }
}
