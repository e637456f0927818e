import type { Credential } from "../credentials.ts";
import type { Answer } from "../sockets/answer.ts";
import type { Exchange } from "./exchanges.ts";
import type { Pool } from "./connections.ts";
import type { TransportRequest, WriteGuard } from "./request.ts";

/** A request on its way through the layers, and what they note of it. One object serves all attempts. */
export class Call {
  readonly request: TransportRequest;
  /** Reads the answer while the request holds its place. Absent for a stream, which its caller reads. */
  readonly read: ((answer: Answer) => Promise<unknown>) | undefined;
  credential!: Credential;
  pool!: Pool;
  exchange!: Exchange;
  /** By the monotonic clock. */
  startedAt = 0;
  /** Whether the guard has thrown: nothing was sent. */
  isWithheld = false;
  #answered: ReturnType<WriteGuard> = undefined;

  constructor(request: TransportRequest, read?: (answer: Answer) => Promise<unknown>) {
    this.request = request;
    this.read = read;
  }

  /** Called immediately before the request leaves, which it does if its guard lets it. */
  leaves(): void {
    this.isWithheld = true;
    this.#answered = this.request.guard?.();
    this.isWithheld = false;
  }

  /** Called once it is known whether the server has said what became of the request. */
  ended(isAnswered: boolean): void {
    this.#answered?.(isAnswered);
    this.#answered = undefined;
  }
}

/** Sends a call, and resolves with what was read of the answer. */
export type Send = (call: Call) => Promise<unknown>;

/** Stands on the way of every call: it may hold a call up, or send it again. */
export type Layer = (next: Send) => Send;

/** Returns the way through all layers, the first one outermost, to `last`. */
export function compose(layers: readonly Layer[], last: Send): Send {
  return layers.reduceRight((next, layer) => layer(next), last);
}
