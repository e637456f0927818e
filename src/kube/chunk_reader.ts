import type { Clock } from "../base/clock.ts";
import { type ByteSource, byteSourceOf } from "./byte_source.ts";
import type { HeldStream, StreamHold } from "./stream_hold.ts";

/** The bytes that a stream may hold back in memory. Further ones are handed out, held or not. */
export const MAX_HELD_BYTES = 16 * 1024 * 1024;

/** While held, a shorter chunk says that the next bytes have yet to arrive: they are received all at once, after a pause. */
const SHORT_CHUNK_BYTES = 16 * 1024;
const PAUSE_MS = 50;

export interface ChunkReaderOptions {
  /** Times the pauses while held. Absent: every chunk is received as it arrives. */
  clock?: Clock;
  /** Called for every chunk as it is received. */
  onBytes?: (() => void) | undefined;
  hold?: StreamHold | undefined;
  /**
   * Once it is aborted, nothing more is received, whatever becomes of the stream, and what was received counts as dealt with: its
   * consumer may never come back for more.
   */
  signal?: AbortSignal | undefined;
}

/** The end of the wait for a chunk. */
type Arrival =
  | { readonly type: "chunk"; readonly bytes: Uint8Array }
  | { readonly type: "end" }
  | { readonly type: "failure"; readonly error: unknown };

/** Reads a stream chunk by chunk; goes on receiving while its hold is held. One consumer at a time. */
export class ChunkReader implements HeldStream {
  readonly #source: ByteSource;
  readonly #options: ChunkReaderOptions;
  readonly #membership: Disposable | undefined;
  readonly #abort = () => {
    this.#fail?.();
    this.#dealt();
  };
  /** The wait under way; kept when the hold ends before it. */
  #arrival: Promise<Arrival> | undefined;
  /** The chunks that were received and not yet handed out. */
  #received: Uint8Array[] = [];
  /** Whether the consumer has chunks that it has not dealt with. */
  #handedOut = false;
  /** Whether all received chunks are to be handed out, held or not. */
  #isDue = false;
  #wake: (() => void) | undefined;
  /** Ends the wait for a chunk. */
  #fail: (() => void) | undefined;
  #onDealt: (() => void)[] = [];

  constructor(body: ReadableStream<Uint8Array>, options: ChunkReaderOptions = {}) {
    this.#source = byteSourceOf(body);
    this.#options = options;
    this.#membership = options.hold?.add(this);
    options.signal?.addEventListener("abort", this.#abort, { once: true });
  }

  /**
   * Returns the chunks received so far, at least one; undefined at the end of the stream. A call says that the chunks of the
   * call before have been dealt with.
   */
  async next(): Promise<readonly Uint8Array[] | undefined> {
    this.#handedOut = false;
    this.#dealt();
    let size = 0;
    for (;;) {
      const arrival = await this.#nextArrival();
      if (arrival?.type === "chunk") {
        this.#arrival = undefined;
        const { bytes } = arrival;
        this.#received.push(bytes);
        size += bytes.length;
        this.#options.onBytes?.();
        if (this.#options.hold?.isHeld && !this.#isDue && size <= MAX_HELD_BYTES) {
          if (bytes.length < SHORT_CHUNK_BYTES) await this.#pause();
          if (!this.#isDue) continue;
        }
      }
      this.#isDue = false;
      if (this.#received.length > 0) return this.#handOut();
      // A stream that has ended or failed does so again when it is asked again.
      if (arrival?.type === "end") return undefined;
      if (arrival?.type === "failure") throw arrival.error;
    }
  }

  /** Cancels the stream, without waiting for its end, which may never come. */
  cancel(): void {
    this.#membership?.[Symbol.dispose]();
    this.#options.signal?.removeEventListener("abort", this.#abort);
    this.#received = [];
    this.#dealt();
    this.#source.cancel();
  }

  drain(): Promise<void> {
    if (this.#options.signal?.aborted || (!this.#handedOut && this.#received.length === 0)) return Promise.resolve();
    this.#isDue = this.#received.length > 0;
    this.#wake?.();
    return new Promise((resolve) => void this.#onDealt.push(resolve));
  }

  /** Resolves after a while, or when the received chunks are due. */
  async #pause(): Promise<void> {
    const { clock, signal } = this.#options;
    if (!clock || signal?.aborted) return;
    const end = new AbortController();
    this.#wake = () => end.abort();
    signal?.addEventListener("abort", this.#wake, { once: true });
    try {
      await clock.sleep(PAUSE_MS, end.signal);
    } catch {
      // The received chunks are due.
    } finally {
      signal?.removeEventListener("abort", this.#wake);
      this.#wake = undefined;
    }
  }

  /** Waits for the next chunk; resolves to undefined if the received chunks are due before that. */
  #nextArrival(): Promise<Arrival | undefined> {
    const { signal } = this.#options;
    const failed = (): Arrival => ({ type: "failure", error: signal!.reason });
    if (signal?.aborted) return Promise.resolve(failed());
    const arrival = this.#arrival ??= this.#source.read().then(
      (bytes): Arrival => bytes ? { type: "chunk", bytes } : { type: "end" },
      (error): Arrival => ({ type: "failure", error }),
    );
    const { promise, resolve } = Promise.withResolvers<Arrival | undefined>();
    this.#fail = () => resolve(failed());
    if (this.#received.length > 0) this.#wake = () => resolve(undefined);
    arrival.then(resolve);
    return promise;
  }

  #handOut(): readonly Uint8Array[] {
    this.#wake = undefined;
    this.#handedOut = true;
    const received = this.#received;
    this.#received = [];
    return received;
  }

  #dealt(): void {
    const waiting = this.#onDealt;
    if (waiting.length === 0) return;
    this.#onDealt = [];
    for (const resolve of waiting) resolve();
  }
}
