import { ApiError, ignoreNotFound } from "../kube/api_error.ts";
import type { KubeClient } from "../kube/client.ts";
import { type DeepReadonly, keyOf, type KubeObject, type Unstored } from "../kube/object.ts";
import { type Event, EVENTS } from "../kube/resource.ts";
import { retryAfterMsOf } from "../kube/retry.ts";
import { type EpochMs, formatTime } from "../base/epoch_ms.ts";
import { loggerFor } from "../telemetry/logging.ts";
import { onAbort } from "../base/abort.ts";
import { Backoff } from "./backoff.ts";
import { after, type Clock } from "../base/clock.ts";
import { EventCorrelator } from "./event_correlator.ts";
import { eventSuffix } from "./event_name.ts";
import { Recent } from "./recent.ts";
import type { Runnable } from "./runnable.ts";
import { Waiters } from "./waiters.ts";

const logger = loggerFor("events");

/** The content of an Event. */
export interface EventRecord {
  /** The object that it is about. */
  readonly regarding: DeepReadonly<KubeObject>;
  readonly type: "Normal" | "Warning";
  /** One word in CamelCase that programs can go by. */
  readonly reason: string;
  /** A sentence for people. */
  readonly message: string;
  /** The scheduled time that it is about, if any: the same Event for the same time is then stored once, crashes included. */
  readonly scheduledTime?: EpochMs | undefined;
}

/** Where controllers say what they did and why. `record` never fails and never waits. */
export interface EventSink {
  record(event: EventRecord): void;
}

export const EVENT_DROP_CAUSES = ["buffer_full", "flood", "refused", "unreachable", "shutdown"] as const;
export type EventDropCause = (typeof EVENT_DROP_CAUSES)[number];

export interface EventRecorderOptions {
  client: KubeClient;
  clock: Clock;
  /** The component that reports Events: `source.component` and `reportingComponent`, such as `cronjob-controller`. */
  component: string;
  onDrop?: ((cause: EventDropCause) => void) | undefined;
}

/** An Event that waits to be sent, or to be sent again with a higher count. */
interface Pending {
  readonly key: string;
  readonly record: EventRecord;
  message: string;
  count: number;
  readonly firstAt: EpochMs;
  lastAt: EpochMs;
}

/** An Event that the server has. */
interface Stored {
  readonly name: string;
  readonly namespace: string;
  count: number;
}

/** Events whose counts can be raised: the server's names of the latest, as many as client-go remembers. */
const REMEMBERED = 4_096;
/** Attempts to send one Event, the first included, as in client-go. */
const MAX_ATTEMPTS = 12;
/** Events that may wait to be sent; further ones are dropped. */
const MAX_WAITING = 10_000;
const SENT_AT_A_TIME = 4;
/** How long Events are sent after the program was asked to end. */
const DRAIN_MS = 2_000;

/**
 * Sends Events, in the lowest lane, so that `kubectl describe` and `kubectl get events` show them.
 *
 * - An Event about a scheduled time is named from the object's UID, the reason and that time.
 * - Any other that repeats an earlier one raises its count.
 * - Of many that differ in the message alone, and of many Warnings about different times, all after the first ten are
 *   counted in one, until none came for ten minutes.
 * - What cannot be sent is dropped, and counted: the buffer is full, an object causes too many, the server refuses, or
 *   the program ends.
 */
export class EventRecorder implements Runnable, EventSink {
  readonly name = "event recorder";
  readonly #options: EventRecorderOptions;
  readonly #pending = new Map<string, Pending>();
  readonly #sending = new Set<string>();
  readonly #stored = new Recent<Stored>(REMEMBERED);
  readonly #correlator: EventCorrelator;
  readonly #news = new Waiters();
  #nameSuffix = 0;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#correlator = new EventCorrelator(options.clock);
  }

  /** Notes an Event to be sent. Returns at once, and never throws. */
  record(record: EventRecord): void {
    const now = this.#options.clock.now();
    const correlated = this.#correlator.correlate(record);
    if (!correlated) return this.#drop("flood", record);
    const { key, message, scheduledTime } = correlated;
    const waiting = this.#pending.get(key);
    if (waiting) {
      waiting.count++;
      waiting.lastAt = now;
      waiting.message = message;
      return;
    }
    if (this.#pending.size >= MAX_WAITING) return this.#drop("buffer_full", record);
    const pending = { key, record: { ...record, scheduledTime }, message, count: 1, firstAt: now, lastAt: now };
    this.#pending.set(key, pending);
    this.#news.wakeAll();
  }

  /** Sends until `signal` is aborted, and for {@linkcode DRAIN_MS} more. */
  async run(signal: AbortSignal): Promise<void> {
    const tooLate = new AbortController();
    using timers = new DisposableStack();
    using _stopping = onAbort(signal, () => timers.use(after(this.#options.clock, DRAIN_MS, () => tooLate.abort())));
    try {
      await Promise.all(Array.from({ length: SENT_AT_A_TIME }, () => this.#work(signal, tooLate.signal)));
    } finally {
      for (const { record } of this.#pending.values()) this.#drop("shutdown", record);
      this.#pending.clear();
    }
  }

  async #work(signal: AbortSignal, tooLate: AbortSignal): Promise<void> {
    while (!tooLate.aborted) {
      const pending = this.#take();
      if (!pending) {
        if (signal.aborted) return;
        await this.#news.woken(signal);
        continue;
      }
      this.#sending.add(pending.key);
      try {
        await this.#send(pending, tooLate);
      } catch (error) {
        const cause = tooLate.aborted ? "shutdown" : error instanceof ApiError ? "refused" : "unreachable";
        this.#drop(cause, pending.record, error);
      } finally {
        this.#sending.delete(pending.key);
        this.#news.wakeAll();
      }
    }
  }

  #take(): Pending | undefined {
    for (const [key, pending] of this.#pending) {
      if (this.#sending.has(key)) continue;
      this.#pending.delete(key);
      return pending;
    }
    return undefined;
  }

  async #send(pending: Pending, signal: AbortSignal): Promise<void> {
    const backoff = new Backoff({ initialMs: 500, maxMs: 10_000 });
    for (;;) {
      try {
        return await this.#write(pending, signal);
      } catch (error) {
        const mayPass = !(error instanceof ApiError) || error.isInDoubt || error.isTooManyRequests;
        if (signal.aborted || !mayPass || backoff.failures() + 1 >= MAX_ATTEMPTS) throw error;
        await this.#options.clock.sleep(Math.max(backoff.next(), retryAfterMsOf(error)), signal);
      }
    }
  }

  async #write(pending: Pending, signal: AbortSignal): Promise<void> {
    const { client } = this.#options;
    const stored = this.#stored.get(pending.key);
    const options = { lane: "event", signal } as const;
    if (stored) {
      const count = stored.count + pending.count;
      const body = { count, message: pending.message, lastTimestamp: formatTime(pending.lastAt) };
      if (await client.patch(EVENTS, stored, { type: "merge", body }, options).catch(ignoreNotFound)) {
        stored.count = count;
        return;
      }
      // Events live for an hour or so: this one is gone, and begins anew.
      this.#stored.delete(pending.key);
    }
    const event = this.#eventOf(pending);
    const { name, namespace } = event.metadata as { name: string; namespace: string };
    try {
      await client.createText(EVENTS, { namespace, name }, JSON.stringify(event), options);
    } catch (error) {
      if (!(error instanceof ApiError && error.isAlreadyExists)) throw error;
    }
    if (pending.record.scheduledTime === undefined) {
      this.#stored.set(pending.key, { name, namespace, count: pending.count });
    }
  }

  #eventOf({ record, message, count, firstAt, lastAt }: Pending): Unstored<Event> {
    const { component } = this.#options;
    const { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion } } = record.regarding;
    return {
      apiVersion: "v1",
      kind: "Event",
      metadata: {
        name: `${name.slice(0, 220).replace(/[-.]+$/, "")}.${this.#suffix(record, firstAt)}`,
        namespace: namespace ?? "default",
      },
      involvedObject: { apiVersion, kind, name, ...(namespace && { namespace }), uid, resourceVersion },
      type: record.type,
      reason: record.reason,
      message,
      count,
      firstTimestamp: formatTime(firstAt),
      lastTimestamp: formatTime(lastAt),
      source: { component },
      reportingComponent: component,
      reportingInstance: "",
    };
  }

  /** Returns the end of an Event's name: 16 hexadecimal digits, as client-go's have. */
  #suffix({ regarding, reason, scheduledTime }: EventRecord, now: EpochMs): string {
    if (scheduledTime === undefined) {
      // Nanoseconds, as in client-go. The clock shows milliseconds alone, so the last digits are a counter.
      this.#nameSuffix = (this.#nameSuffix + 1) % 1_000_000;
      return (BigInt(Math.floor(now)) * 1_000_000n + BigInt(this.#nameSuffix)).toString(16);
    }
    return eventSuffix(regarding.metadata.uid, reason, scheduledTime);
  }

  #drop(cause: EventDropCause, { regarding, reason }: EventRecord, error?: unknown): void {
    this.#options.onDrop?.(cause);
    logger.debug("Dropped an Event: {cause}", { cause, key: keyOf(regarding), reason, error });
  }
}
