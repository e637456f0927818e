import type { KubeClient, ObjectList, Selection, WatchOptions } from "../kube/client.ts";
import type { KubeObject } from "../kube/object.ts";
import { PAGE_SIZE } from "../kube/paging.ts";
import type { Resource } from "../kube/resource.ts";
import { retryAfterMsOf } from "../kube/retry.ts";
import { Stage } from "../base/abort.ts";
import { Backoff, type BackoffOptions } from "./backoff.ts";
import type { Clock } from "../base/clock.ts";
import { ExpectedNews } from "./expected_news.ts";
import { afterError, type Source, type State, type Step, step, type Stream, type WatcherEvent } from "./watch_step.ts";

export interface WatcherOptions<T extends KubeObject> extends Selection, Pick<WatchOptions, "hold"> {
  client: KubeClient;
  resource: Resource<T>;
  clock: Clock;
  /** Objects a page of a list. @default {500} */
  pageSize?: number;
  /** Between failures. @default from 800 ms to 30 s, doubling */
  backoff?: BackoffOptions;
  /** In [0, 1). @default {Math.random} */
  random?: () => number;
  /** Called when the watch is opened anew because it delivered nothing for `silentMs` although it must have news. */
  onSilence?: (silentMs: number) => void;
}

/** A server ends a watch after a random time between these: all watches at once would come back at once. */
const WATCH_SECONDS = { min: 300, max: 600 };

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
  /** From a list to the next one that was asked for: ends what is under way then. */
  #turn: Stage | undefined;
  /** Waiters for a list that begins after it was asked for. */
  readonly #asked: (() => void)[] = [];
  #state: State<T> = { name: "empty" };
  readonly #source: Source<T>;
  readonly #news: ExpectedNews;

  constructor(options: WatcherOptions<T>) {
    this.#options = options;
    this.#random = options.random ?? Math.random;
    this.#backoff = new Backoff({ initialMs: 800, maxMs: 30_000, random: this.#random, ...options.backoff });
    const onSilence = (silentMs: number) => {
      const stream = this.#stream;
      if (!stream) return;
      stream.end.abort();
      options.onSilence?.(silentMs);
    };
    this.#news = new ExpectedNews({ clock: options.clock, hold: options.hold, onSilence });
    this.#source = {
      clock: options.clock,
      list: (continueToken, signal) => this.#list(continueToken, signal),
      version: (signal) => this.#version(signal),
      open: (resourceVersion, signal) => this.#open(resourceVersion, signal),
    };
  }

  /** Whether a watch is open now. */
  get connected(): boolean {
    return this.#stream?.isOpen ?? false;
  }

  get #stream(): Stream<T> | undefined {
    return this.#state.name === "watching" ? this.#state.stream : undefined;
  }

  /**
   * Lists again at once, whatever is under way: the next `Init` begins a list that is newer than this call. Resolves once
   * the consumer of the events has dealt with that list.
   */
  relist(): Promise<void> {
    this.#backoff.reset();
    this.#turn?.abort(new DOMException("All is listed again", "AbortError"));
    return new Promise((resolve) => void this.#asked.push(resolve));
  }

  /**
   * Something has happened that an open watch has to show, and `isKnown` says whether it has. If the watch delivers nothing
   * for 5 s after this call, it is opened anew where it stood; again after 10 s, 20 s, and so on until something comes.
   */
  expectNews(isKnown: () => boolean): void {
    if (this.#stream) this.#news.expect(isKnown);
  }

  /** Endless until `signal` is aborted. One consumer at a time. */
  async *events(signal: AbortSignal): AsyncGenerator<WatcherEvent<T>> {
    while (!signal.aborted) {
      using turn = this.#turn = new Stage(signal);
      try {
        while (!turn.signal.aborted) {
          const state = this.#state;
          let taken: Step<T>;
          try {
            const going = step(this.#source, state, turn.signal);
            // A watch is known as soon as it is asked for: what is expected of it by then must not be missed.
            taken = going instanceof Promise ? await going : going;
          } catch (error) {
            taken = { next: afterError(state, error), event: { type: "Error", error }, pause: true };
          }
          // A step that was under way when a new list was asked for no longer counts.
          if (turn.signal.aborted) break;
          const { next, event, pause } = taken;
          if (state.name === "empty") this.#news.forget();
          if (state.name === "watching" && next.name === "watching") {
            this.#backoff.reset();
            if (event) this.#news.arrived();
          }
          const left = this.#go(next);
          if (left) await close(left);
          if (event) yield event;
          if (event?.type === "InitDone" && !turn.signal.aborted) this.#asked.splice(0).forEach((resolve) => resolve());
          if (pause) await this.#options.clock.sleep(this.#delayMs(event), turn.signal).catch(() => {/* it is over */});
        }
      } finally {
        this.#news.forget();
        await close(this.#go({ name: "empty" }));
      }
    }
  }

  /** Returns the watch that it leaves behind. */
  #go(next: State<T>): Stream<T> | undefined {
    const left = next.name === "watching" ? undefined : this.#stream;
    this.#state = next;
    return left;
  }

  #list(continueToken: string | undefined, signal: AbortSignal): Promise<ObjectList<T>> {
    const { client, resource, namespace, labelSelector, fieldSelector, pageSize: limit = PAGE_SIZE } = this.#options;
    return client.list(resource, { namespace, labelSelector, fieldSelector, limit, continueToken, signal });
  }

  async #version(signal: AbortSignal): Promise<string> {
    const { client, resource, namespace, labelSelector, fieldSelector } = this.#options;
    const { metadata } = await client.list(resource, { namespace, labelSelector, fieldSelector, limit: 1, signal });
    return metadata.resourceVersion;
  }

  #open(resourceVersion: string, signal: AbortSignal): Stream<T> {
    const { client, resource, namespace, labelSelector, fieldSelector, clock, hold } = this.#options;
    const end = new AbortController();
    const events = client.watch(resource, {
      namespace,
      labelSelector,
      fieldSelector,
      resourceVersion,
      timeoutSeconds: Math.round(WATCH_SECONDS.min + (WATCH_SECONDS.max - WATCH_SECONDS.min) * this.#random()),
      onOpen: () => stream.isOpen = true,
      onReceive: () => this.#news.received(),
      hold,
      signal: AbortSignal.any([signal, end.signal]),
    });
    const stream: Stream<T> = {
      events: events[Symbol.asyncIterator](),
      end,
      startedAt: clock.monotonic(),
      isOpen: false,
    };
    return stream;
  }

  #delayMs(event: WatcherEvent<T> | undefined): number {
    const now = this.#options.clock.monotonic();
    if (now - this.#failedAt > FORGIVEN_MS) this.#backoff.reset();
    this.#failedAt = now;
    const error = event?.type === "Error" ? event.error : undefined;
    return Math.max(this.#backoff.next(), retryAfterMsOf(error));
  }
}

async function close(stream: Stream<unknown> | undefined): Promise<void> {
  try {
    await stream?.events.return?.();
  } catch {
    // It ended with the error that is being dealt with already.
  }
}
