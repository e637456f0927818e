import { earliest, type EpochMs } from "../base/epoch_ms.ts";
import { onAbort } from "../base/abort.ts";
import { after, type Clock } from "../base/clock.ts";
import { DelayLine, monotonicClock, wallClock } from "./delay_line.ts";
import { Turns } from "./turns.ts";

/** The reports of a queue for metrics. Called synchronously; must not throw. */
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
  /** How many of the keys that {@linkcode WorkQueue.get} hands out are worked on at a time; see {@linkcode Turns}. @default any number */
  concurrency?: number;
  /** Whether `concurrency` holds for slow keys too. @default {false} */
  isStrict?: boolean;
  /** Whether keys whose time has come are left to {@linkcode WorkQueue.takeDue}. @default {false} */
  dueApart?: boolean;
}

/** Why a key needs work, the least urgent first. */
const URGENCIES = ["added", "late", "due"] as const;
type Urgency = typeof URGENCIES[number];

/**
 * A queue of keys that need work, for any number of producers and workers.
 *
 * - Stingy: a key that is added several times before its turn is handed out once.
 * - Fair: namespaces take turns, and one whose work takes long holds up no other; see {@linkcode Turns}. With `dueApart` keys
 *   whose time has come ({@linkcode WorkQueue.addAt}) go before all, and then those that are late, each by turns of their own.
 * - Never twice at a time: a key added while it is worked on comes out again after {@linkcode WorkQueue.done}.
 * - A key that is handed out has no delay left: its worker decides anew when it is to come back.
 *
 * Invariants: a key of `#due`, `#late` or `#added` is in `#dirty`, in one of them only, and not in `#processing`; a key of
 * `#dirty` is in one of these three, or in `#processing`.
 */
export class WorkQueue {
  readonly name: string;
  readonly #clock: Clock;
  readonly #observer: QueueObserver | undefined;
  readonly #dueApart: boolean;
  readonly #due = new Turns(Infinity, true);
  readonly #late: Turns;
  readonly #added: Turns;
  /** Needs work. The value is the monotonic time since when, and how urgent it is. */
  readonly #dirty = new Map<string, { since: number; urgency: Urgency }>();
  /** Worked on now, since this monotonic time; and the instant it was still to have. */
  readonly #processing = new Map<string, { since: number; instant: EpochMs | undefined }>();
  readonly #instants: DelayLine;
  readonly #delays: DelayLine;
  readonly #waiters = new Set<() => void>();
  /** Workers that wait for keys whose instant has come, and for no other. */
  readonly #dueWaiters = new Set<() => void>();
  /** Ends when a place becomes free though no work ends. */
  #nextChange: Disposable | undefined;
  #shutDown = false;

  constructor(options: WorkQueueOptions) {
    this.#clock = options.clock;
    this.name = options.name ?? "queue";
    this.#observer = options.observer;
    const newTurns = () => new Turns(options.concurrency ?? Infinity, options.isStrict);
    [this.#late, this.#added] = [newTurns(), newTurns()];
    this.#dueApart = options.dueApart ?? false;
    this.#instants = new DelayLine(wallClock(options.clock), (key) => this.#addDue(key));
    this.#delays = new DelayLine(monotonicClock(options.clock), (key) => this.add(key));
  }

  /** How many keys wait for a worker now. */
  get depth(): number {
    return this.#due.size + this.#late.size + this.#added.size;
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
    const heads = [this.#due, this.#late, this.#added].map(({ oldest }) => oldest).filter((key) => key !== undefined);
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
    this.#add(key, "added");
  }

  /** Asks for work on a key whose time has come, and that does not go before those that are due. */
  addLate(key: string): void {
    this.#add(key, "late");
  }

  /** Adds `key` once the wall clock reads `at`. If it waits for an instant already, the earlier of the two holds. */
  addAt(key: string, at: EpochMs): void {
    if (this.#shutDown) return;
    if (at <= this.#clock.now()) return this.#addDue(key);
    this.#instants.add(key, at);
  }

  /** Adds `key` after a length of time, however the wall clock is set meanwhile. The earlier of two holds. */
  addAfter(key: string, delayMs: number): void {
    if (this.#shutDown) return;
    if (delayMs <= 0) return this.add(key);
    this.#delays.add(key, this.#clock.monotonic() + delayMs);
  }

  /**
   * The next key whose turn it is, as soon as there is one; undefined after {@linkcode shutDown}, once the queue is empty, or
   * when `signal` is aborted. The caller owes a {@linkcode done} for the key.
   */
  async get(signal?: AbortSignal): Promise<string | undefined> {
    for (;;) {
      if (signal?.aborted) return undefined;
      const key = this.#take();
      if (key !== undefined) return key;
      if (this.#shutDown && this.#late.size + this.#added.size === 0) return undefined;
      await this.#changed(this.#waiters, signal);
    }
  }

  /** Whether a key that was merely added waits for its turn, of a namespace that `isMeant`. */
  hasAdded(isMeant: (namespace: string) => boolean): boolean {
    return this.#added.has(isMeant);
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
    const key = this.#due.take(this.#clock.monotonic());
    if (key !== undefined) this.#start(key, undefined);
    return key;
  }

  /** From now on so many of the keys that {@linkcode get} hands out are worked on at a time, besides those that are late. */
  limit(concurrency: number): void {
    this.#added.limit = concurrency;
    this.#wakeAll(this.#waiters);
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
    [this.#due, this.#late, this.#added].some((turns) => turns.done(key));
    this.#observer?.onDone?.(this.name, this.#clock.monotonic() - work.since);
    const entry = this.#dirty.get(key);
    if (entry) this.#queue(key, entry.urgency);
    if (this.#late.size + this.#added.size > 0) this.#wake(this.#waiters);
  }

  /** Takes no further keys and forgets the delays. What is queued is still handed out. */
  shutDown(): void {
    this.#shutDown = true;
    this.#instants.clear();
    this.#delays.clear();
    this.#nextChange?.[Symbol.dispose]();
    for (const waiters of [this.#waiters, this.#dueWaiters]) this.#wakeAll(waiters);
  }

  #addDue(key: string): void {
    this.#add(key, this.#dueApart ? "due" : "added");
  }

  #add(key: string, urgency: Urgency): void {
    if (this.#shutDown) return;
    const entry = this.#dirty.get(key);
    if (entry) {
      if (URGENCIES.indexOf(urgency) <= URGENCIES.indexOf(entry.urgency)) return;
      entry.urgency = urgency;
      if (this.#added.delete(key) || this.#late.delete(key)) this.#queue(key, urgency);
      return;
    }
    this.#dirty.set(key, { since: this.#clock.monotonic(), urgency });
    if (!this.#processing.has(key)) this.#queue(key, urgency);
    this.#observer?.onAdd?.(this.name, this.depth);
  }

  #queue(key: string, urgency: Urgency): void {
    ({ added: this.#added, late: this.#late, due: this.#due })[urgency].add(key);
    this.#wake(urgency === "due" ? this.#dueWaiters : this.#waiters);
  }

  #wake(waiters: Set<() => void>): void {
    const [wake] = waiters;
    if (!wake) return;
    waiters.delete(wake);
    wake();
  }

  #wakeAll(waiters: Set<() => void>): void {
    for (const wake of waiters) wake();
    waiters.clear();
  }

  #take(): string | undefined {
    this.#nextChange?.[Symbol.dispose]();
    const now = this.#clock.monotonic();
    const key = this.#late.take(now) ?? this.#added.take(now);
    if (key !== undefined) this.#start(key, this.#instants.timeOf(key));
    else this.#awaitChange(now);
    return key;
  }

  #awaitChange(now: number): void {
    const waiting = this.#shutDown ? [] : [this.#late, this.#added].filter(({ size }) => size > 0);
    const at = earliest(...waiting.map(({ nextChangeAt }) => nextChangeAt));
    this.#nextChange = at === undefined ? undefined : after(this.#clock, at - now, () => this.#wakeAll(this.#waiters));
  }

  #start(key: string, instant: EpochMs | undefined): void {
    const now = this.#clock.monotonic();
    const { since } = this.#dirty.get(key)!;
    this.#dirty.delete(key);
    this.#processing.set(key, { since: now, instant });
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
