import type { CalendarFields } from "./grammar.ts";

const LENGTH = 1_440;
const WORDS = LENGTH / 32;

/** Some minutes of a day, counted from midnight by the wall clock. */
export class DayMinutes {
  static readonly LENGTH = LENGTH;
  readonly #words = new Int32Array(WORDS);
  #runs: readonly (readonly [from: number, to: number])[] | undefined;

  static none(): DayMinutes {
    return new DayMinutes();
  }

  /** The times of a day on which a schedule runs. */
  static of({ hour, minute }: CalendarFields): DayMinutes {
    const day = new DayMinutes();
    for (const h of hour) {
      for (const m of minute) day.add(h * 60 + m, h * 60 + m + 1);
    }
    return day;
  }

  static union(parts: Iterable<DayMinutes>): DayMinutes {
    const day = new DayMinutes();
    for (const part of parts) day.addAll(part);
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
    this.#runs = undefined;
  }

  addAll(others: DayMinutes): void {
    for (let i = 0; i < WORDS; i++) this.#words[i]! |= others.#words[i]!;
    this.#runs = undefined;
  }

  get isFull(): boolean {
    return this.#words.every((word) => word === -1);
  }

  has(minute: number): boolean {
    return (this.#words[minute >> 5]! & 1 << (minute & 31)) !== 0;
  }

  /** Stretches without a gap, `from <= minute < to`, in order. */
  runs(): readonly (readonly [from: number, to: number])[] {
    if (this.#runs) return this.#runs;
    const runs: [number, number][] = [];
    for (let minute = 0; minute < LENGTH;) {
      const word = this.#words[minute >> 5];
      const bit = minute & 31;
      if (bit === 0 && word === 0) minute += 32;
      else if (!this.has(minute)) minute++;
      else {
        const from = minute;
        while (minute < LENGTH && this.has(minute)) {
          minute += (minute & 31) === 0 && this.#words[minute >> 5] === -1 ? 32 : 1;
        }
        runs.push([from, minute]);
      }
    }
    return this.#runs = runs;
  }
}
