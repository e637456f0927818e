import { ApiError } from "../kube/api_error.ts";
import type { ObjectKey } from "../kube/object.ts";
import { retryAfterMsOf } from "../kube/retry.ts";
import { type EpochMs, formatTime } from "../base/epoch_ms.ts";
import { loggerFor } from "../telemetry/logging.ts";
import { CountedFailures } from "./counted_failures.ts";
import { Backoff, type BackoffOptions } from "./backoff.ts";
import { onAbort, readyOrAborted } from "../base/abort.ts";
import { after } from "../base/clock.ts";
import { DueStarts, type DueStartsOptions, type StartDue } from "./due_starts.ts";
import type { Runnable } from "./runnable.ts";
import { type QueueObserver, WorkQueue } from "./work_queue.ts";

const logger = loggerFor("controller");

/** When a key is to be reconciled again, besides on a change; absent: only on a change. */
export interface ReconcileResult {
  requeueAt?: EpochMs | undefined;
  /** There is more to do at once, after the others have had their turn. */
  again?: boolean;
}

export interface ReconcileOptions {
  /** Aborted when the end was asked for: one that does many things in a row leaves the others to the next process then. */
  readonly ending: AbortSignal;
}

/**
 * Brings the world to where the object of `key` wants it. It does not learn what happened: it looks.
 *
 * - It resolves: done, until a change or `requeueAt`. An earlier `requeueAt` of the same key no longer holds.
 * - It throws: it is called again, after a delay that grows with every failure in a row.
 *
 * It is never called twice at a time for one key. `signal` is aborted only when the program cannot wait any longer.
 */
export type Reconcile = (
  key: ObjectKey,
  signal: AbortSignal,
  options: ReconcileOptions,
) => Promise<ReconcileResult | void>;

export type ReconcileOutcome = "success" | "requeue_at" | "error";

/** The reports of a controller for metrics. Called synchronously; must not throw. */
export interface ControllerObserver extends QueueObserver {
  /** Called when there is a controller, whose state may be looked at from now on. */
  onController?(controller: Pick<Controller, "name" | "concurrency" | "queue">): void;
  /** Called when it has ended. */
  onControllerEnd?(controller: Pick<Controller, "name" | "concurrency" | "queue">): void;
  onReconcile?(controller: string, outcome: ReconcileOutcome, durationMs: number): void;
  /** Called when a key will be tried again after a failure. */
  onRetry?(controller: string): void;
}

export interface ControllerOptions extends Omit<DueStartsOptions, "queue" | "startDue" | "concurrency" | "onError"> {
  name: string;
  reconcile: Reconcile;
  /**
   * The first half of `reconcile` for a key whose `requeueAt` has come: what must not wait. It goes before the other half
   * of all keys, however many are due at once; see {@linkcode DueStarts}.
   */
  startDue?: StartDue;
  /**
   * How many keys are worked on at a time, by turns of their namespaces. Keys whose work takes long come on top, as
   * {@linkcode Turns} says. @default {10}
   */
  concurrency?: number | undefined;
  /** Whether a user waits for the reconciliation of a key: it goes before keys that are neither due nor late. @default {false} */
  isAwaited?: (key: ObjectKey) => boolean;
  /** Whether `concurrency` holds for keys whose work takes long too, for work that costs something besides time. @default {false} */
  isStrict?: boolean;
  /** The informers that `reconcile` reads: they must be ready before the first key is worked on. */
  waitFor?: readonly { ready(): Promise<void> }[];
  /** Between failures of one key. @default from 20 ms to 60 s, doubling */
  backoff?: BackoffOptions;
  /** How long work under way may go on after the end was asked for. @default {5_000} */
  drainMs?: number | undefined;
  observer?: ControllerObserver | undefined;
}

/** A server may ask for any pause; a key waits no longer than this for one refusal. */
const MAX_ASKED_FOR_MS = 60_000;

/** Calls a reconcile function for the keys that need it, a number of them at a time. */
export class Controller implements Runnable {
  readonly name: string;
  readonly #options: ControllerOptions;
  readonly #queue: WorkQueue;
  readonly #backoff: Backoff<ObjectKey>;
  readonly #failures = new CountedFailures();
  readonly #starts: DueStarts | undefined;
  #ran = false;
  #isWorking = false;

  constructor(options: ControllerOptions) {
    this.#options = options;
    this.name = options.name;
    const { clock, name, observer, startDue, isStrict, isAwaited } = options;
    const { concurrency } = this;
    this.#queue = new WorkQueue({ clock, name, observer, concurrency, isStrict, isAwaited, dueApart: !!startDue });
    this.#backoff = new Backoff(options.backoff);
    this.#starts = startDue && new DueStarts({
      ...options,
      concurrency: this.concurrency,
      startDue,
      queue: this.#queue,
      onError: (key, error, signal) => {
        const delayMs = this.#failed(key, error, signal);
        // It is no less due than before.
        if (delayMs !== undefined) this.#queue.addAt(key, clock.now() + delayMs);
      },
    });
    observer?.onController?.(this);
  }

  /** How many keys it works on at a time. */
  get concurrency(): number {
    return this.#options.concurrency ?? 10;
  }

  /** The work that is left. For tests, health and metrics; keys come in by {@linkcode enqueue}. */
  get queue(): Pick<
    WorkQueue,
    | "depth"
    | "processing"
    | "longestWorkMs"
    | "unfinishedWorkMs"
    | "longestWaitMs"
    | "countUntil"
  > {
    return this.#queue;
  }

  /** Whether keys get their turn: not before what it waits for is ready, nor after the end was asked for. */
  get isWorking(): boolean {
    return this.#isWorking;
  }

  /** Asks for a reconcile of `key`. Also before the controller runs: it begins with what was asked for. */
  enqueue(key: ObjectKey): void {
    this.#queue.add(key);
  }

  /** Asks for a reconcile of `key` when the wall clock reads `at`. */
  enqueueAt(key: ObjectKey, at: EpochMs): void {
    this.#queue.addAt(key, at);
  }

  /** Asks for a reconcile of `key` after a while: what a burst of changes is collected with. */
  enqueueAfter(key: ObjectKey, delayMs: number): void {
    this.#queue.addAfter(key, delayMs);
  }

  /** Works until `signal` is aborted, and ends what is under way. Once only. */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#ran) throw new Error(`Cannot run controller ${this.name}: it ran already`);
    this.#ran = true;
    const { clock, waitFor = [], drainMs = 5_000 } = this.#options;
    const tooLate = new AbortController();
    using timers = new DisposableStack();
    const stop = () => {
      this.#isWorking = false;
      this.#queue.shutDown();
      const late = new Error(`Cannot go on: controller ${this.name} is stopped`);
      timers.use(after(clock, drainMs, () => tooLate.abort(late)));
    };
    try {
      if (!await readyOrAborted(waitFor, signal)) return;
      using _stopping = onAbort(signal, stop);
      if (signal.aborted) return;
      this.#isWorking = true;
      await Promise.all([this.#work(signal, tooLate.signal), this.#starts?.run(signal, tooLate.signal)]);
    } finally {
      this.#isWorking = false;
      this.#queue.shutDown();
      this.#sumUpFailures(clock.monotonic(), { isEnd: true });
      this.#options.observer?.onControllerEnd?.(this);
    }
  }

  /** Has each key worked on when its turn comes; the queue sees to it that not too many are. */
  async #work(signal: AbortSignal, tooLate: AbortSignal): Promise<void> {
    const underWay = new Set<Promise<void>>();
    for (let key = await this.#queue.get(signal); key !== undefined; key = await this.#queue.get(signal)) {
      const work = this.#workOn(key, signal, tooLate).finally(() => underWay.delete(work));
      underWay.add(work);
    }
    await Promise.all(underWay);
  }

  async #workOn(key: ObjectKey, ending: AbortSignal, tooLate: AbortSignal): Promise<void> {
    try {
      // Another controller's burst may have put off what decides here.
      if (this.#options.hold?.isHeld) await this.#starts?.readHeld();
      await this.#reconcile(key, tooLate, { ending });
    } finally {
      this.#queue.done(key);
    }
  }

  async #reconcile(key: ObjectKey, signal: AbortSignal, options: { ending: AbortSignal }): Promise<void> {
    const { clock, reconcile, observer } = this.#options;
    const began = clock.monotonic();
    this.#sumUpFailures(began);
    let outcome: ReconcileOutcome;
    try {
      const { requeueAt, again } = await reconcile(key, signal, options) ?? {};
      this.#backoff.reset(key);
      if (requeueAt !== undefined) this.#queue.addAt(key, requeueAt);
      if (again) this.#queue.add(key);
      outcome = requeueAt === undefined ? "success" : "requeue_at";
      this.#tell(key, requeueAt, clock.monotonic() - began);
    } catch (error) {
      const delayMs = this.#failed(key, error, signal);
      outcome = "error";
      if (delayMs !== undefined) {
        this.#queue.addAfter(key, delayMs);
        // Its next run starts in time, whatever becomes of the rest.
        this.#queue.restoreInstant(key);
      }
    }
    observer?.onReconcile?.(this.name, outcome, clock.monotonic() - began);
  }

  #tell(key: ObjectKey, requeueAt: EpochMs | undefined, durationMs: number): void {
    if (!logger.isEnabledFor("debug")) return;
    logger.debug("Reconciled {key}", {
      controller: this.name,
      key,
      requeueAt: requeueAt === undefined ? undefined : formatTime(requeueAt),
      durationMs: Math.round(durationMs),
    });
  }

  /** Returns after how long to try again; undefined where the program ends. */
  #failed(key: ObjectKey, error: unknown, signal: AbortSignal): number | undefined {
    const { name: controller } = this;
    if (signal.aborted) return undefined;
    const delayMs = Math.max(this.#backoff.next(key), Math.min(retryAfterMsOf(error), MAX_ASKED_FOR_MS));
    this.#options.observer?.onRetry?.(controller);
    const properties = {
      controller,
      key,
      failures: this.#backoff.failures(key),
      delayMs: Math.round(delayMs),
      error,
    };
    const now = this.#options.clock.monotonic();
    this.#sumUpFailures(now);
    // Another writer was first: everyday business, and the next look sees it.
    const expected = error instanceof ApiError && error.isConflict;
    const isNews = !expected && this.#failures.note(key, error, now);
    if (isNews) logger.warn("Cannot reconcile {key}, trying again: {error}", properties);
    else logger.debug("Cannot reconcile {key}, trying again: {error}", properties);
    return delayMs;
  }

  /** Whatever answers nonsense, or nothing, fails thousands of times: a line each would hide all others. */
  #sumUpFailures(now: number, options?: { isEnd: boolean }): void {
    for (const { keys, count, sinceMs, error } of this.#failures.due(now, options)) {
      const properties = { controller: this.name, key: keys, count, durationMs: Math.round(sinceMs), error };
      logger.warn("Cannot reconcile {key}, {count} more times in {durationMs} ms, trying again: {error}", properties);
    }
  }
}
