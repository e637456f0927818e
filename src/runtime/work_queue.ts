import type { EpochMs } from "../schedule/epoch_ms.ts";
import { onAbort } from "./abort.ts";
import type { Clock } from "./clock.ts";
import { DelayLine, monotonicClock, wallClock } from "./delay_line.ts";

/** What a queue reports to metrics. Called synchronously; must not throw. */
export interface QueueObserver {
  /** A key was added, however often it was added before it got its turn. */
  onAdd?(queue: string, depth: number): void;
  /** A key got its turn after `waitedMs` in the queue. */
  onGet?(queue: string, depth: number, waitedMs: number): void;
  /** The work on a key ended. */
  onDone?(queue: string, workedMs: number): void;
}

export interface WorkQueueOptions {
  clock: Clock;
  /** @default {"queue"} */
  name?: string;
  observer?: QueueObserver;
}

/** After so many due keys in a row, one of the others gets its turn. */
const DUE_IN_A_ROW = 16;

/**
 * A queue of keys that need work, for any number of producers and workers.
 *
 * - Stingy: a key that is added several times before its turn is handed out once.
 * - Fair: keys come out in the order in which they went in, except that a key whose time has come
 *   ({@linkcode WorkQueue.addAt}) goes before those that were merely added.
 * - Never twice at a time: a key added while it is worked on comes out again after {@linkcode WorkQueue.done}.
 * - A key that is handed out has no delay left: its worker decides anew when it is to come back.
 *
 * Invariants: a key of `#due` or `#added` is in `#dirty`, in one of them only, and not in `#processing`; a key of
 * `#dirty` is in one of these two, or in `#processing`.
 */
export class WorkQueue {
  readonly name: string;
  readonly #clock: Clock;
  readonly #observer: QueueObserver | undefined;
  readonly #due = new Set<string>();
  readonly #added = new Set<string>();
  /** Needs work. The value is the monotonic time since when, and whether it goes first. */
  readonly #dirty = new Map<string, { since: number; due: boolean }>();
  /** Worked on now, since this monotonic time; whether because its instant had come; and the instant it was still to have. */
  readonly #processing = new Map<string, { since: number; due: boolean; instant: EpochMs | undefined }>();
  /** Keys that go first when their time has come. */
  readonly #instants: DelayLine;
  readonly #delays: DelayLine;
  readonly #waiters = new Set<() => void>();
  /** Who waits for keys whose instant has come, and for no other. */
  readonly #dueWaiters = new Set<() => void>();
  /** How many of the keys that were merely added may be worked on at a time; and how many are. */
  #addedLimit = Infinity;
  #addedAtWork = 0;
  #dueInARow = 0;
  #shutDown = false;

  constructor(options: WorkQueueOptions) {
    this.#clock = options.clock;
    this.name = options.name ?? "queue";
    this.#observer = options.observer;
    this.#instants = new DelayLine(wallClock(options.clock), (key) => this.#add(key, true));
    this.#delays = new DelayLine(monotonicClock(options.clock), (key) => this.#add(key, false));
  }

  /** How many keys wait for a worker now. */
  get depth(): number {
    return this.#due.size + this.#added.size;
  }

  /** How many keys will be added later. */
  get delayed(): number {
    return this.#instants.size + this.#delays.size;
  }

  /** How many keys are worked on. */
  get processing(): number {
    return this.#processing.size;
  }

  /** For how long the longest work under way has been going on; 0 when there is none. */
  get longestWorkMs(): number {
    const [oldest] = this.#processing.values();
    return oldest === undefined ? 0 : this.#clock.monotonic() - oldest.since;
  }

  /** For how long all work under way has been going on, taken together. */
  get unfinishedWorkMs(): number {
    const now = this.#clock.monotonic();
    let sum = 0;
    for (const { since } of this.#processing.values()) sum += now - since;
    return sum;
  }

  /** For how long the key that waits longest has been waiting; 0 when none waits. */
  get longestWaitMs(): number {
    const now = this.#clock.monotonic();
    const heads = [...this.#due.values().take(1), ...this.#added.values().take(1)];
    return Math.max(0, ...heads.map((key) => now - this.#dirty.get(key)!.since));
  }

  /** When the next key becomes due by {@linkcode addAt}. */
  get nextInstant(): EpochMs | undefined {
    return this.#instants.next;
  }

  /** How many keys become due by {@linkcode addAt} until then; counts no further than to `max`. */
  countUntil(at: EpochMs, max: number): number {
    return this.#instants.countUntil(at, max);
  }

  /** Asks for work on `key`. */
  add(key: string): void {
    this.#add(key, false);
  }

  /** Adds `key` once the wall clock reads `at`. If it waits for an instant already, the earlier of the two holds. */
  addAt(key: string, at: EpochMs): void {
    if (this.#shutDown) return;
    if (at <= this.#clock.now()) return this.#add(key, true);
    this.#instants.add(key, at);
  }

  /** Adds `key` after a length of time, however the wall clock is set meanwhile. The earlier of two holds. */
  addAfter(key: string, delayMs: number): void {
    if (this.#shutDown) return;
    if (delayMs <= 0) return this.#add(key, false);
    this.#delays.add(key, this.#clock.monotonic() + delayMs);
  }

  /**
   * The next key, as soon as there is one; undefined after {@linkcode shutDown}, once the queue is empty, or when
   * `signal` is aborted. The caller owes a {@linkcode done} for the key.
   */
  async get(signal?: AbortSignal): Promise<string | undefined> {
    for (;;) {
      if (signal?.aborted) return undefined;
      const key = this.#take();
      if (key !== undefined) return key;
      if (this.#shutDown) return undefined;
      await this.#changed(this.#waiters, signal);
    }
  }

  /** As {@linkcode get}, but never a key whose instant has come: those are taken by {@linkcode takeDue}. */
  async getAdded(signal?: AbortSignal): Promise<string | undefined> {
    for (;;) {
      if (signal?.aborted) return undefined;
      const key = this.#takeAdded();
      if (key !== undefined) return key;
      if (this.#shutDown && this.#added.size === 0) return undefined;
      await this.#changed(this.#waiters, signal);
    }
  }

  /** Resolves with true once there is a key whose instant has come; with false when there will be none any more. */
  async someDue(signal?: AbortSignal): Promise<boolean> {
    for (;;) {
      if (signal?.aborted) return false;
      if (this.#due.size > 0) return true;
      if (this.#shutDown) return false;
      await this.#changed(this.#dueWaiters, signal);
    }
  }

  /** Whether a key whose instant has come waits for its turn. */
  get hasDue(): boolean {
    return this.#due.size > 0;
  }

  /** The next key whose instant has come, if there is one. The caller owes a {@linkcode done} for it. */
  takeDue(): string | undefined {
    const [key] = this.#due;
    if (key !== undefined) this.#start(key, this.#due, true);
    return key;
  }

  /** From now on at most so many of the keys that {@linkcode getAdded} hands out are worked on at a time. */
  limitAdded(count: number): void {
    this.#addedLimit = count;
    for (let free = Math.min(count - this.#addedAtWork, this.#added.size); free > 0; free--) this.#wake(this.#waiters);
  }

  /** Restores the instant that a key had before it was worked on: the work failed, and found no new one. */
  restoreInstant(key: string): void {
    const instant = this.#processing.get(key)?.instant;
    if (instant !== undefined) this.addAt(key, instant);
  }

  /** Ends the work on a key. If it was added meanwhile, it is queued again. */
  done(key: string): void {
    const work = this.#processing.get(key);
    if (work === undefined) throw new Error(`Cannot end the work on '${key}': it is not worked on`);
    this.#processing.delete(key);
    if (!work.due) this.#addedAtWork--;
    this.#observer?.onDone?.(this.name, this.#clock.monotonic() - work.since);
    const entry = this.#dirty.get(key);
    if (entry) this.#queue(key, entry.due);
    // A place is free below the limit.
    if (!work.due && this.#addedLimit !== Infinity && this.#added.size > 0) this.#wake(this.#waiters);
  }

  /** Takes no further keys and forgets the delays. What is queued is still handed out. */
  shutDown(): void {
    this.#shutDown = true;
    this.#instants.clear();
    this.#delays.clear();
    for (const waiters of [this.#waiters, this.#dueWaiters]) {
      for (const wake of waiters) wake();
      waiters.clear();
    }
  }

  #add(key: string, due: boolean): void {
    if (this.#shutDown) return;
    const entry = this.#dirty.get(key);
    if (entry) {
      if (!due || entry.due) return;
      entry.due = true;
      if (this.#added.delete(key)) this.#queue(key, true);
      return;
    }
    this.#dirty.set(key, { since: this.#clock.monotonic(), due });
    if (!this.#processing.has(key)) this.#queue(key, due);
    this.#observer?.onAdd?.(this.name, this.depth);
  }

  #queue(key: string, due: boolean): void {
    (due ? this.#due : this.#added).add(key);
    if (due && this.#dueWaiters.size > 0) this.#wake(this.#dueWaiters);
    else if (due || this.#addedAtWork < this.#addedLimit) this.#wake(this.#waiters);
  }

  #wake(waiters: Set<() => void>): void {
    const [wake] = waiters;
    if (!wake) return;
    waiters.delete(wake);
    wake();
  }

  #take(): string | undefined {
    const passOver = this.#due.size === 0 || (this.#dueInARow >= DUE_IN_A_ROW && this.#added.size > 0);
    this.#dueInARow = passOver ? 0 : this.#dueInARow + 1;
    return passOver ? this.#takeAdded() : this.takeDue();
  }

  #takeAdded(): string | undefined {
    if (this.#addedAtWork >= this.#addedLimit) return undefined;
    const [key] = this.#added;
    if (key !== undefined) this.#start(key, this.#added, false);
    return key;
  }

  #start(key: string, from: Set<string>, due: boolean): void {
    from.delete(key);
    const now = this.#clock.monotonic();
    const { since } = this.#dirty.get(key)!;
    this.#dirty.delete(key);
    this.#processing.set(key, { since: now, due, instant: due ? undefined : this.#instants.timeOf(key) });
    if (!due) this.#addedAtWork++;
    this.#instants.delete(key);
    this.#delays.delete(key);
    this.#observer?.onGet?.(this.name, this.depth, now - since);
  }

  #changed(waiters: Set<() => void>, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        listening[Symbol.dispose]();
        resolve();
      };
      waiters.add(wake);
      const listening = onAbort(signal, () => {
        waiters.delete(wake);
        resolve();
      });
    });
  }
}
