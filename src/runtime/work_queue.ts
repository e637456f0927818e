import { earliest, type EpochMs } from "../base/epoch_ms.ts";
import { after, type Clock } from "../base/clock.ts";
import { DelayLine, monotonicClock } from "./delay_line.ts";
import { Turns } from "./turns.ts";
import { Waiters } from "./waiters.ts";

/** The reports of a queue for metrics. Called synchronously; must not throw. */
export interface QueueObserver {
  /** A key was added. Not called again for a key that still waits for its turn. */
  onAdd?(queue: string): void;
  /** A key got its turn after `waitedMs` in the queue. */
  onGet?(queue: string, waitedMs: number): void;
  /** The work on a key ended. */
  onDone?(queue: string, workedMs: number): void;
}

export interface WorkQueueOptions {
  clock: Clock;
  /** @default {"queue"} */
  name?: string;
  observer?: QueueObserver | undefined;
  /** How many keys of each urgency {@linkcode WorkQueue.get} has worked on at a time; see {@linkcode Turns}. @default any number */
  concurrency?: number;
  /** Whether `concurrency` holds for slow keys too. @default {false} */
  isStrict?: boolean | undefined;
  /** Whether keys whose time has come are left to {@linkcode WorkQueue.takeDue}. @default {false} */
  dueApart?: boolean;
  /** Whether a user waits for the work on a key: it goes before work on others that were added. @default {false} */
  isAwaited?: ((key: string) => boolean) | undefined;
}

/** Why a key needs work, the least urgent first. */
const URGENCIES = ["added", "awaited", "late", "due"] as const;
type Urgency = typeof URGENCIES[number];

/**
 * A queue of keys that need work, for any number of producers and workers.
 *
 * - Stingy: a key that is added several times before its turn is handed out once.
 * - Fair: namespaces take turns, and one whose work takes long holds up no other; see {@linkcode Turns}.
 * - By urgency: late keys go before awaited ones, and these before all others, each by turns of their own. With `dueApart`
 *   keys whose time has come ({@linkcode WorkQueue.addAt}) are handed out by {@linkcode WorkQueue.takeDue} alone.
 * - Never twice at a time: a key added while it is worked on comes out again after {@linkcode WorkQueue.done}.
 * - A key that is handed out has no delay left: its worker decides anew when it is to come back.
 *
 * Invariants: a key of `#turns` is in `#dirty`, has one urgency, and is not in `#processing`; a key of `#dirty` is in
 * `#turns` or in `#processing`.
 */
export class WorkQueue {
  readonly name: string;
  readonly #clock: Clock;
  readonly #observer: QueueObserver | undefined;
  readonly #dueApart: boolean;
  readonly #isAwaited: (key: string) => boolean;
  readonly #turns: Record<Urgency, Turns>;
  readonly #all: readonly Turns[];
  /** The turns of keys for {@linkcode get}, the most urgent first. */
  readonly #others: readonly Turns[];
  /** The keys that need work: since when, by the monotonic clock, and how urgently. */
  readonly #dirty = new Map<string, { since: number; urgency: Urgency }>();
  /** The keys that are worked on: since when, by the monotonic clock, and the instant that each still waited for. */
  readonly #processing = new Map<string, { since: number; instant: EpochMs | undefined }>();
  readonly #instants: DelayLine;
  readonly #delays: DelayLine;
  readonly #waiters = new Waiters();
  /** Workers that wait for keys whose instant has come, and for no other. */
  readonly #dueWaiters = new Waiters();
  /** Wakes the waiters when a place becomes free though no work ends. */
  #nextChange: Disposable | undefined;
  #isShutDown = false;

  constructor(options: WorkQueueOptions) {
    this.#clock = options.clock;
    this.name = options.name ?? "queue";
    this.#observer = options.observer;
    const newTurns = () => new Turns(options.concurrency ?? Infinity, options.isStrict);
    const [late, awaited, added] = [newTurns(), newTurns(), newTurns()];
    this.#turns = { due: new Turns(Infinity, true), late, awaited, added };
    this.#all = Object.values(this.#turns);
    this.#others = [late, awaited, added];
    this.#dueApart = options.dueApart ?? false;
    this.#isAwaited = options.isAwaited ?? (() => false);
    this.#instants = new DelayLine(options.clock, (key) => this.#addDue(key));
    this.#delays = new DelayLine(monotonicClock(options.clock), (key) => this.#add(key, "added"));
  }

  /** How many keys wait for a worker now. */
  get depth(): number {
    return this.#all.reduce((sum, { size }) => sum + size, 0);
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
    const heads = this.#all.map(({ oldest }) => oldest).filter((key) => key !== undefined);
    return Math.max(0, ...heads.map((key) => now - this.#dirty.get(key)!.since));
  }

  /** How many keys become due by {@linkcode addAt} until then; counts no further than to `max`. */
  countUntil(at: EpochMs, max: number): number {
    return this.#instants.countUntil(at, max);
  }

  /** Asks for work on `key`. */
  add(key: string): void {
    this.#add(key, this.#isAwaited(key) ? "awaited" : "added");
  }

  /** Asks for work on a key whose time has passed: it goes after keys that are due, and before all others. */
  addLate(key: string): void {
    this.#add(key, "late");
  }

  /** Adds `key` once the wall clock reads `at`. If it waits for an instant already, the earlier of the two holds. */
  addAt(key: string, at: EpochMs): void {
    if (this.#isShutDown) return;
    if (at <= this.#clock.now()) return this.#addDue(key);
    this.#instants.add(key, at);
  }

  /**
   * Adds `key` after a length of time, however the wall clock is set meanwhile. The earlier of two holds. Awaited or not, it
   * goes before no other then: work that fails for good would do so at each attempt.
   */
  addAfter(key: string, delayMs: number): void {
    if (this.#isShutDown) return;
    if (delayMs <= 0) return this.#add(key, "added");
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
      if (this.#isShutDown && !this.#hasOthers) return undefined;
      await this.#waiters.woken(signal);
    }
  }

  /** Whether a key waits, of a namespace that `isMeant`, that is neither due nor late nor awaited. */
  hasAdded(isMeant: (namespace: string) => boolean): boolean {
    return this.#turns.added.has(isMeant);
  }

  /** Resolves with true once there is a key whose instant has come; with false when there will be none any more. */
  async someDue(signal?: AbortSignal): Promise<boolean> {
    for (;;) {
      if (signal?.aborted) return false;
      if (this.hasDue) return true;
      if (this.#isShutDown) return false;
      await this.#dueWaiters.woken(signal);
    }
  }

  /** Whether a key whose instant has come waits for its turn. */
  get hasDue(): boolean {
    return this.#turns.due.size > 0;
  }

  /** The next key whose instant has come, if there is one. The caller owes a {@linkcode done} for it. */
  takeDue(): string | undefined {
    const key = this.#turns.due.take(this.#clock.monotonic());
    if (key !== undefined) this.#start(key);
    return key;
  }

  /** Changes how many keys are worked on at a time that were merely added, and how many awaited ones. */
  limit(added: number, awaited = added): void {
    this.#turns.added.limit = added;
    this.#turns.awaited.limit = awaited;
    this.#waiters.wakeAll();
  }

  /** Has a key that is worked on wait again for the instant that it had: its work failed, and found no new one. */
  restoreInstant(key: string): void {
    const instant = this.#processing.get(key)?.instant;
    if (instant !== undefined) this.addAt(key, instant);
  }

  /** Ends the work on a key. If it was added meanwhile, it is queued again. */
  done(key: string): void {
    const work = this.#processing.get(key);
    if (work === undefined) throw new Error(`Cannot end the work on '${key}': it is not worked on`);
    this.#processing.delete(key);
    this.#all.some((turns) => turns.done(key));
    this.#observer?.onDone?.(this.name, this.#clock.monotonic() - work.since);
    const entry = this.#dirty.get(key);
    if (entry) this.#queue(key, entry.urgency);
    if (this.#hasOthers) this.#waiters.wake();
  }

  /** Takes no further keys and forgets the delays. What is queued is still handed out. */
  shutDown(): void {
    this.#isShutDown = true;
    this.#instants.clear();
    this.#delays.clear();
    this.#nextChange?.[Symbol.dispose]();
    for (const waiters of [this.#waiters, this.#dueWaiters]) waiters.wakeAll();
  }

  #addDue(key: string): void {
    if (this.#dueApart) this.#add(key, "due");
    else this.add(key);
  }

  #add(key: string, urgency: Urgency): void {
    if (this.#isShutDown) return;
    const entry = this.#dirty.get(key);
    if (entry) {
      if (URGENCIES.indexOf(urgency) <= URGENCIES.indexOf(entry.urgency)) return;
      const isQueued = this.#turns[entry.urgency].delete(key);
      entry.urgency = urgency;
      if (isQueued) this.#queue(key, urgency);
      return;
    }
    this.#dirty.set(key, { since: this.#clock.monotonic(), urgency });
    if (!this.#processing.has(key)) this.#queue(key, urgency);
    this.#observer?.onAdd?.(this.name);
  }

  #queue(key: string, urgency: Urgency): void {
    this.#turns[urgency].add(key);
    (urgency === "due" ? this.#dueWaiters : this.#waiters).wake();
  }

  get #hasOthers(): boolean {
    return this.#others.some(({ size }) => size > 0);
  }

  #take(): string | undefined {
    this.#nextChange?.[Symbol.dispose]();
    const now = this.#clock.monotonic();
    let key: string | undefined;
    for (const turns of this.#others) if ((key = turns.take(now)) !== undefined) break;
    if (key !== undefined) this.#start(key);
    else this.#awaitChange(now);
    return key;
  }

  #awaitChange(now: number): void {
    const waiting = this.#isShutDown ? [] : this.#others.filter(({ size }) => size > 0);
    const at = earliest(...waiting.map(({ nextChangeAt }) => nextChangeAt));
    this.#nextChange = at === undefined ? undefined : after(this.#clock, at - now, () => this.#waiters.wakeAll());
  }

  #start(key: string): void {
    const now = this.#clock.monotonic();
    const { since } = this.#dirty.get(key)!;
    this.#dirty.delete(key);
    this.#processing.set(key, { since: now, instant: this.#instants.timeOf(key) });
    this.#instants.delete(key);
    this.#delays.delete(key);
    this.#observer?.onGet?.(this.name, now - since);
  }
}
