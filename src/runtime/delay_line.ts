import { after, type Clock } from "../base/clock.ts";
import { IndexedHeap } from "./indexed_heap.ts";

/** A way to measure time, and to wait for a point of it: a clock has instants, which move as it is set. */
type TimeScale = Pick<Clock, "now" | "schedule">;

/** Keys that wait, each for its time. One timer serves all of them. */
export class DelayLine {
  readonly #scale: TimeScale;
  readonly #onDue: (key: string) => void;
  readonly #heap = new IndexedHeap<string>();
  #timer: { readonly at: number; readonly timer: Disposable } | undefined;

  /** @param onDue called with each key when its time has come, in the order of the times */
  constructor(scale: TimeScale, onDue: (key: string) => void) {
    this.#scale = scale;
    this.#onDue = onDue;
  }

  /** How many keys come due until then; counts no further than to `max`. */
  countUntil(at: number, max: number): number {
    return this.#heap.countUpTo(at, max);
  }

  /** The time that a key waits for. */
  timeOf(key: string): number | undefined {
    return this.#heap.priorityOf(key);
  }

  /** Has `key` wait until `at`. The earlier of two times holds. */
  add(key: string, at: number): void {
    const known = this.#heap.priorityOf(key);
    if (known !== undefined && known <= at) return;
    this.#heap.set(key, at);
    this.#setTimer();
  }

  delete(key: string): void {
    this.#heap.delete(key);
  }

  clear(): void {
    this.#heap.clear();
    this.#timer?.timer[Symbol.dispose]();
    this.#timer = undefined;
  }

  #setTimer(): void {
    const at = this.#heap.peek()?.priority;
    // A timer that is too early costs one look at the heap. Only one that would be too late must be replaced.
    if (at === undefined || (this.#timer && this.#timer.at <= at)) return;
    this.#timer?.timer[Symbol.dispose]();
    this.#timer = { at, timer: this.#scale.schedule(at, () => this.#moveDue()) };
  }

  #moveDue(): void {
    this.#timer = undefined;
    const now = this.#scale.now();
    for (let next = this.#heap.peek(); next && next.priority <= now; next = this.#heap.peek()) {
      this.#heap.pop();
      this.#onDue(next.key);
    }
    this.#setTimer();
  }
}

/** Returns a scale of lengths of time, which a clock that is set must not stretch. */
export function monotonicClock(clock: Clock): TimeScale {
  return {
    now: () => clock.monotonic(),
    schedule: (at, fn) => after(clock, at - clock.monotonic(), fn),
  };
}
