import type { Place, PlaceWaiter } from "../kube/client.ts";
import { type ObjectKey, splitKey } from "../kube/object.ts";
import type { StreamHold } from "../kube/stream_hold.ts";
import type { EpochMs } from "../base/epoch_ms.ts";
import { after, type Clock, endsWithin } from "../base/clock.ts";
import type { WorkQueue } from "./work_queue.ts";

/** The outcome of a start. */
export interface Started {
  /** When it is due again, in case that comes before the key is settled. */
  readonly dueAt?: EpochMs | undefined;
  /** Whether something is still to be started that does not go before what is due: the key is late. */
  readonly isLate?: boolean;
}

/**
 * Does only the urgent part of the work on a key whose instant has come. Its first request may leave with `place`; before it
 * waits for anything else, it disposes of the place.
 */
export type StartDue = (key: ObjectKey, signal: AbortSignal, place: Place | undefined) => Promise<Started | void>;

/** Calls `waiter` when a start of this key may send a request. */
export type WhenFree = (key: ObjectKey, waiter: PlaceWaiter, signal: AbortSignal) => void;

/** Returns whether starts in a namespace take long. Objects that have none count as of the namespace `""`. */
export type IsSlow = (namespace: string) => boolean;

export interface DueStartsOptions {
  readonly clock: Clock;
  readonly queue: WorkQueue;
  readonly startDue: StartDue;
  /** Waits for a place before a start begins, so that a start that waits costs no more than its key. @default none waits */
  readonly whenFree?: WhenFree;
  /** @default no namespace is slow */
  readonly isSlow?: IsSlow;
  /** How many keys are settled at a time outside of a burst. */
  readonly concurrency: number;
  /** How long a burst of starts may hold back all other work. @default {5_000} */
  readonly settleAfterMs?: number | undefined;
  /** Puts off the reading of news while many start, for all controllers that share it. */
  readonly hold?: Omit<StreamHold, "add"> | undefined;
  /** Called where a start throws, or is turned away: the key is to be tried again later. */
  readonly onError: (key: ObjectKey, error: unknown, signal: AbortSignal) => void;
}

/** After so many starts in a row the program's other work, such as answers that came, gets its turn. */
const SLICE = 64;
/** With fewer starts under way all of them have left at once, and settling delays none. */
export const BURST_FROM = 16;
/** How long a burst goes on for the sake of its last starts, fewer than `BURST_FROM`. */
const LAST_MS = 500;
/** Between two looks whether the starts that are under way are of slow namespaces. */
const LOOK_MS = 100;
/** The longest wait for the reading of news, which takes milliseconds as a rule. */
const READ_MS = 5_000;

/**
 * Starts what is due, before anything is settled.
 *
 * A burst lasts from when many starts are under way until none is, or few have been for a while, and none is due. During
 * it late keys have their turns as ever, as a burst may be another namespace's. Of awaited keys a tenth of the workers
 * settle some; their requests leave after those of starts. Other keys are not settled, and news is received but not read,
 * for `settleAfterMs` at the most; then a tenth of the workers go on with these too. What was received by the time a key
 * is started has been read. After its start each key is settled like any other.
 *
 * Starts of slow namespaces make no burst, and hold back nothing of other namespaces: they wait for something else than
 * this program's work.
 */
export class DueStarts {
  readonly #options: DueStartsOptions;
  #underWay = 0;
  readonly #byNamespace = new Map<string, number>();
  /** Ends the wait for the next look; set while many are under way. */
  #nextLook: Disposable | undefined;
  /** Whether this burst put off the reading of news, and still does. */
  #holds = false;
  /** Ends the wait for `settleAfterMs`; set while a burst lasts. */
  #burst: AbortController | undefined;
  /** Whether the burst has lasted for `settleAfterMs`: some of all keys are settled again, and news is read. */
  #isLong = false;
  #isWaitingForLast = false;
  #started = 0;
  /** Resolves once the program's other work has had its turn; set after a slice of starts. */
  #breath: Promise<void> | undefined;
  /** Resolves when nothing is under way. */
  #idle = Promise.withResolvers<void>();

  constructor(options: DueStartsOptions) {
    this.#options = options;
  }

  /** Works until `signal` is aborted, and until what is under way has ended. */
  async run(signal: AbortSignal, tooLate: AbortSignal): Promise<void> {
    const { queue, clock, whenFree } = this.#options;
    while (await queue.someDue(signal)) {
      // News that arrived by the instant is read first: this turn reads some, and some has been held.
      await clock.sleep(0);
      await this.readHeld();
      let count = 0;
      for (let key = queue.takeDue(); key !== undefined; key = queue.takeDue()) {
        this.#begin(key);
        if (whenFree) whenFree(key, this.#waiterFor(key, tooLate), tooLate);
        else this.#start(key, tooLate);
        if (++count % SLICE === 0) await clock.sleep(0);
        // The next process starts the keys that are left.
        if (signal.aborted) break;
      }
      if (this.#burst && !this.#isLong && this.#isBurst()) {
        this.#holds = true;
        this.#options.hold?.hold();
      }
    }
    if (this.#underWay > 0) await this.#idle.promise;
    // Keys that are left due would keep the burst, its timer and the hold.
    await this.#end();
  }

  #waiterFor(key: ObjectKey, signal: AbortSignal): PlaceWaiter {
    return {
      start: (place) => this.#start(key, signal, place),
      turnAway: (reason) => {
        this.#options.onError(key, reason, signal);
        this.#done(key);
      },
    };
  }

  async #start(key: ObjectKey, signal: AbortSignal, place?: Place): Promise<void> {
    const { queue, startDue, onError } = this.#options;
    const breath = this.#breathe();
    try {
      if (breath) await breath;
      const { dueAt, isLate } = await startDue(key, signal, place) ?? {};
      if (isLate) queue.addLate(key);
      else queue.add(key);
      if (dueAt !== undefined) queue.addAt(key, dueAt);
    } catch (error) {
      onError(key, error, signal);
    } finally {
      place?.[Symbol.dispose]();
      await this.#done(key);
    }
  }

  /** Where starts send nothing, each has its place at once: without a pause thousands would run in a row. */
  #breathe(): Promise<void> | undefined {
    if (++this.#started % SLICE === 0) {
      this.#breath ??= this.#options.clock.sleep(0).then(() => this.#breath = undefined);
    }
    return this.#breath;
  }

  async #done(key: ObjectKey): Promise<void> {
    const { queue } = this.#options;
    queue.done(key);
    this.#count(key, -1);
    if (this.#underWay === 0) this.#idle.resolve();
    if (this.#underWay === 0 && !queue.hasDue) await this.#end();
    else if (this.#underWay < BURST_FROM) this.#waitForLast();
  }

  /** Ends the burst soon: its last starts may be stuck. */
  #waitForLast(): void {
    const { clock, settleAfterMs, queue } = this.#options;
    if (!this.#burst || this.#isWaitingForLast || settleAfterMs === Infinity) return;
    this.#isWaitingForLast = true;
    clock.sleep(LAST_MS, this.#burst.signal).then(() => {
      this.#isWaitingForLast = false;
      return queue.hasDue ? undefined : this.#end();
    }, () => {/* all have ended */});
  }

  #count(key: ObjectKey, change: 1 | -1): void {
    const { namespace = "" } = splitKey(key);
    const count = (this.#byNamespace.get(namespace) ?? 0) + change;
    this.#underWay += change;
    if (count > 0) this.#byNamespace.set(namespace, count);
    else this.#byNamespace.delete(namespace);
    if (this.#underWay >= BURST_FROM) return this.#lookSoon();
    this.#nextLook?.[Symbol.dispose]();
    this.#nextLook = undefined;
  }

  /** Returns whether many starts are under way that are not of slow namespaces. */
  #isBurst(): boolean {
    const { isSlow = () => false } = this.#options;
    if (this.#underWay < BURST_FROM) return false;
    let count = 0;
    return this.#byNamespace.entries().some(([namespace, underWay]) =>
      !isSlow(namespace) && (count += underWay) >= BURST_FROM
    );
  }

  /** Looks again, as namespaces turn out to be slow, or are no longer, while nothing begins or ends. */
  #lookSoon(): void {
    const { clock, isSlow } = this.#options;
    if (!isSlow) return;
    this.#nextLook ??= after(clock, LOOK_MS, () => {
      this.#nextLook = undefined;
      if (this.#isBurst()) this.#beginBurst();
      else if (this.#burst) this.#yield();
      if (this.#underWay >= BURST_FROM) this.#lookSoon();
    });
  }

  /** Ends what holds back other namespaces: only starts of slow ones are under way. */
  async #yield(): Promise<void> {
    const { queue, isSlow } = this.#options;
    if (this.#holds) await this.#release();
    if (queue.hasAdded((namespace) => !isSlow?.(namespace))) await this.#end();
  }

  #begin(key: ObjectKey): void {
    if (this.#underWay === 0) this.#idle = Promise.withResolvers();
    this.#count(key, 1);
    // Not at each start: `isBurst` goes through the namespaces, which may be thousands.
    const isLookDue = this.#underWay === BURST_FROM || this.#underWay % SLICE === 0;
    if (isLookDue && !this.#burst && this.#isBurst()) this.#beginBurst();
  }

  #beginBurst(): void {
    if (this.#burst) return;
    const { clock, queue, concurrency, settleAfterMs = 5_000 } = this.#options;
    const burst = this.#burst = new AbortController();
    const few = Math.max(1, Math.floor(concurrency / 10));
    queue.limit(0, few);
    if (settleAfterMs === Infinity) return;
    clock.sleep(settleAfterMs, burst.signal).then(async () => {
      this.#isLong = true;
      await this.#release();
      if (!burst.signal.aborted) queue.limit(few);
    }, () => {/* it was a short one */});
  }

  async #end(): Promise<void> {
    await this.#release();
    // Others may have become due while the news was read.
    if (this.#isBurst() || !this.#burst) return;
    this.#burst.abort();
    this.#burst = undefined;
    this.#isLong = false;
    this.#isWaitingForLast = false;
    this.#options.queue.limit(this.#options.concurrency);
  }

  /**
   * Has the news read that was received and held. Waits for `READ_MS` at most: a reader that is stuck must not stop
   * everything.
   */
  async readHeld(): Promise<void> {
    const { hold } = this.#options;
    if (hold) await endsWithin(this.#options.clock, READ_MS, hold.drain());
  }

  /** The same. Where this burst put the reading off, that ends, also for other controllers' bursts. */
  async #release(): Promise<void> {
    const { hold, clock } = this.#options;
    if (!hold) return;
    const holds = this.#holds;
    this.#holds = false;
    await endsWithin(clock, READ_MS, holds ? hold.release() : hold.drain());
  }
}
