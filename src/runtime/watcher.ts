import { ApiError } from "../kube/api_error.ts";
import type { KubeClient, WatchEvent } from "../kube/client.ts";
import type { KubeObject } from "../kube/object.ts";
import { PAGE_SIZE } from "../kube/paging.ts";
import type { Resource } from "../kube/resource.ts";
import type { StreamHold } from "../kube/stream_hold.ts";
import { onAbort } from "./abort.ts";
import { Backoff, type BackoffOptions } from "./backoff.ts";
import type { Clock } from "./clock.ts";
import { ExpectedNews } from "./expected_news.ts";

/**
 * What happens to the objects of a resource.
 *
 * A list comes as `Init`, any number of `InitPage`, `InitDone`: what is in none of the pages is gone by then. An `Init`
 * may come again at any time, also before `InitDone`: the list begins anew. `Apply` and `Delete` come only outside of a
 * list. `Error` changes nothing: the watcher goes on by itself, after a while.
 */
export type WatcherEvent<T> =
  | { readonly type: "Init" }
  | { readonly type: "InitPage"; readonly objects: readonly T[] }
  | { readonly type: "InitDone" }
  | { readonly type: "Apply"; readonly object: T }
  | { readonly type: "Delete"; readonly object: T }
  | { readonly type: "Error"; readonly error: unknown };

export interface WatcherOptions<T extends KubeObject> {
  client: KubeClient;
  resource: Resource<T>;
  clock: Clock;
  /** Absent: all namespaces. */
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
  /** Objects a page of a list. @default {500} */
  pageSize?: number;
  /** Between failures. @default from 800 ms to 30 s, doubling */
  backoff?: BackoffOptions;
  /** In [0, 1). @default {Math.random} */
  random?: () => number;
  /** While it is held, events of the watch are received and wait. */
  hold?: StreamHold;
  /** Called when the watch is opened anew because it delivered nothing for `silentMs` although it must have news. */
  onSilence?: (silentMs: number) => void;
}

/**
 * Where the watcher stands. All recovery is a choice of the next state:
 *
 * ```
 * empty --> listing --(last page)--> listed --> idle --(watch opened)--> watching
 *   ^          |                                 ^                          |
 *   |<---------'  page refused                   '------ stream ended ------|
 *   '---------------- 410: version forgotten, or relist() ------------------'
 * ```
 */
type State<T> =
  | { readonly name: "empty" }
  | { readonly name: "listing"; readonly continueToken: string | undefined }
  | { readonly name: "listed"; readonly resourceVersion: string }
  | { readonly name: "idle"; readonly resourceVersion: string }
  | { readonly name: "watching"; readonly resourceVersion: string; readonly stream: Stream<T> };

interface Stream<T> {
  readonly events: AsyncIterator<WatchEvent<T>>;
  readonly end: AbortController;
  readonly startedAt: number;
  readonly isNew: boolean;
}

interface Step<T> {
  readonly next: State<T>;
  readonly event?: WatcherEvent<T>;
  /** It went on, but not well: wait as after a failure. */
  readonly pause?: boolean;
}

/** A server ends a watch after a random time between these: all watches at once would come back at once. */
const WATCH_SECONDS = { min: 300, max: 600 };

/** A watch that ends sooner than this without an event counts as a failure: the next one waits. */
const SHORT_WATCH_MS = 1_000;

/** After so long without a failure, the next one is a first one again. */
const FORGIVEN_MS = 120_000;

/**
 * Follows the objects of one resource: lists them, watches from there on, and recovers from whatever happens.
 *
 * Guarantees: every object that exists is shown at least once, its last state always; no deletion is lost (one that
 * happened while no watch was open shows as absence from the next list); nothing ends the events but `signal`.
 */
export class Watcher<T extends KubeObject> {
  readonly #options: WatcherOptions<T>;
  readonly #random: () => number;
  readonly #backoff: Backoff;
  #failedAt = -Infinity;
  #connected = false;
  /** Ends what is under way when all is to be listed again. */
  #turn = new AbortController();
  /** Ends the watch that is open, for another one to go on where it stood. */
  #endWatch: AbortController | undefined;
  readonly #news: ExpectedNews;

  constructor(options: WatcherOptions<T>) {
    this.#options = options;
    this.#random = options.random ?? Math.random;
    this.#backoff = new Backoff({ initialMs: 800, maxMs: 30_000, random: this.#random, ...options.backoff });
    const onSilence = (silentMs: number) => {
      if (!this.#endWatch) return;
      this.#endWatch.abort();
      options.onSilence?.(silentMs);
    };
    this.#news = new ExpectedNews({ clock: options.clock, hold: options.hold, onSilence });
  }

  /** Whether a watch is open now. */
  get connected(): boolean {
    return this.#connected;
  }

  /** Lists again at once, whatever is under way: the next `Init` begins a list that is newer than this call. */
  relist(): void {
    const before = this.#turn;
    this.#turn = new AbortController();
    this.#backoff.reset();
    before.abort(new DOMException("All is listed again", "AbortError"));
  }

  /**
   * Something has happened that an open watch has to show, and `isKnown` says whether it has. If the watch delivers nothing
   * for 5 s after this call, it is opened anew where it stood; again after 10 s, 20 s, and so on until something comes.
   */
  expectNews(isKnown: () => boolean): void {
    if (this.#endWatch) this.#news.expect(isKnown);
  }

  /** Endless until `signal` is aborted. One consumer at a time. */
  async *events(signal: AbortSignal): AsyncGenerator<WatcherEvent<T>> {
    let state: State<T> = { name: "empty" };
    let turn = this.#turn = new AbortController();
    using _end = onAbort(signal, () => this.#turn.abort(signal.reason));
    try {
      while (!signal.aborted) {
        if (turn !== this.#turn) {
          if (state.name === "watching") await this.#close(state.stream);
          state = { name: "empty" };
          turn = this.#turn;
        }
        let step: Step<T>;
        try {
          step = await this.#step(state, turn.signal);
        } catch (error) {
          if (signal.aborted) return;
          step = { next: afterError(state, error), event: { type: "Error", error }, pause: true };
        }
        // What was under way when it was asked to list again no longer counts.
        if (turn !== this.#turn) continue;
        if (state.name === "watching" && step.next.name !== "watching") await this.#close(state.stream);
        state = step.next;
        if (step.event) yield step.event;
        if (step.pause) await this.#pause(this.#delayMs(step.event), turn.signal);
      }
    } finally {
      this.#news.forget();
      if (state.name === "watching") await this.#close(state.stream);
    }
  }

  /** Resolves after a while, or when there is something else to do. */
  async #pause(delayMs: number, signal: AbortSignal): Promise<void> {
    try {
      await this.#options.clock.sleep(delayMs, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  #step(state: State<T>, signal: AbortSignal): Step<T> | Promise<Step<T>> {
    switch (state.name) {
      case "empty":
        this.#news.forget();
        return { next: { name: "listing", continueToken: undefined }, event: { type: "Init" } };
      case "listing":
        return this.#list(state.continueToken, signal);
      case "listed":
        return { next: { name: "idle", resourceVersion: state.resourceVersion }, event: { type: "InitDone" } };
      case "idle":
        return {
          next: { name: "watching", resourceVersion: state.resourceVersion, stream: this.#open(state, signal) },
        };
      case "watching":
        return this.#watch(state);
      default:
        return state satisfies never;
    }
  }

  async #list(continueToken: string | undefined, signal: AbortSignal): Promise<Step<T>> {
    const { client, resource, namespace, labelSelector, fieldSelector, pageSize: limit = PAGE_SIZE } = this.#options;
    const selection = { namespace, labelSelector, fieldSelector };
    const { items, metadata } = await client.list(resource, { ...selection, limit, continueToken, signal });
    return {
      next: metadata.continue
        ? { name: "listing", continueToken: metadata.continue }
        : { name: "listed", resourceVersion: metadata.resourceVersion },
      event: { type: "InitPage", objects: items },
    };
  }

  #open({ resourceVersion }: { resourceVersion: string }, signal: AbortSignal): Stream<T> {
    const { client, resource, namespace, labelSelector, fieldSelector, clock, hold } = this.#options;
    const end = this.#endWatch = new AbortController();
    const events = client.watch(resource, {
      namespace,
      labelSelector,
      fieldSelector,
      resourceVersion,
      timeoutSeconds: Math.round(WATCH_SECONDS.min + (WATCH_SECONDS.max - WATCH_SECONDS.min) * this.#random()),
      onOpen: () => this.#connected = true,
      onReceive: () => this.#news.received(),
      hold,
      signal: AbortSignal.any([signal, end.signal]),
    });
    return { events: events[Symbol.asyncIterator](), end, startedAt: clock.monotonic(), isNew: true };
  }

  async #watch(state: State<T> & { name: "watching" }): Promise<Step<T>> {
    const { stream, resourceVersion } = state;
    const { done, value } = await stream.events.next();
    if (done) {
      const short = stream.isNew && this.#options.clock.monotonic() - stream.startedAt < SHORT_WATCH_MS;
      return { next: { name: "idle", resourceVersion }, pause: short };
    }
    this.#backoff.reset();
    const { type, object } = value;
    if (type !== "BOOKMARK") this.#news.arrived();
    const next: State<T> = {
      name: "watching",
      resourceVersion: object.metadata.resourceVersion,
      stream: stream.isNew ? { ...stream, isNew: false } : stream,
    };
    switch (type) {
      case "ADDED":
      case "MODIFIED":
        return { next, event: { type: "Apply", object } };
      case "DELETED":
        return { next, event: { type: "Delete", object } };
      case "BOOKMARK":
        return { next };
      default:
        return type satisfies never;
    }
  }

  async #close(stream: Stream<T>): Promise<void> {
    this.#connected = false;
    this.#endWatch = undefined;
    try {
      await stream.events.return?.();
    } catch {
      // It ended with the error that is being dealt with already.
    }
  }

  #delayMs(event: WatcherEvent<T> | undefined): number {
    const now = this.#options.clock.monotonic();
    if (now - this.#failedAt > FORGIVEN_MS) this.#backoff.reset();
    this.#failedAt = now;
    const error = event?.type === "Error" ? event.error : undefined;
    const askedForMs = error instanceof ApiError ? error.retryAfterMs ?? 0 : 0;
    return Math.max(this.#backoff.next(), askedForMs);
  }
}

function afterError<T>(state: State<T>, error: unknown): State<T> {
  switch (state.name) {
    case "empty":
    case "listed":
    case "idle":
      return state;
    case "listing":
      // A page that could not be fetched can be asked for again, one that was refused cannot.
      return error instanceof ApiError ? { name: "empty" } : state;
    case "watching":
      return error instanceof ApiError && error.isExpired
        ? { name: "empty" }
        : { name: "idle", resourceVersion: state.resourceVersion };
    default:
      return state satisfies never;
  }
}
