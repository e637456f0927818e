import type { User } from "../security/authentication.ts";

/** A request as the handlers see it. */
export interface ApiRequest {
  readonly method: string;
  /** Decoded, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  header(name: string): string | undefined;
  readonly user: User;
  /** Texts for the `Warning` header of its answer, be that a refusal. Handlers add to it. */
  readonly warnings: string[];
  /** @throws {Refusal} 413 when it is too large */
  body(): Promise<Uint8Array>;
}

/** The answer to a request. */
export interface Answer {
  readonly code: number;
  /** Absent only where nothing follows. */
  readonly contentType?: string;
  readonly body?: string | Uint8Array;
  /** Instead of a body: called once the head is sent, and may write until it ends the sink or its client goes away. */
  readonly stream?: ((sink: Sink) => void) | undefined;
  /** Instead of a body: called with the WebSocket that the connection becomes. */
  readonly upgrade?: Upgrade | undefined;
  /** Of the object that was written. */
  readonly name?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** How a connection goes on as a WebSocket. */
export interface Upgrade {
  readonly protocol: string;
  /** @param signal aborted when the server ends */
  readonly serve: (socket: WebSocket, signal: AbortSignal) => void;
}

/** The way to one client whose answer has no end yet. */
export interface Sink {
  write(chunk: Uint8Array | string): void;
  /** Bytes that the client has not taken yet. */
  readonly waitingBytes: number;
  end(): void;
  /** Ends the connection, whatever waits. */
  destroy(): void;
  /** Called once, when it is over. */
  onClose(callback: () => void): void;
  /** Called whenever nothing waits any more. */
  onDrain(callback: () => void): void;
}

const JSON_TYPE = "application/json";
const TEXT_TYPE = "text/plain; charset=utf-8";

/** Returns an answer of 200 unless `options` say otherwise; a text counts as JSON already. */
export function json(value: unknown, options: Partial<Answer> = {}): Answer {
  return {
    code: 200,
    contentType: JSON_TYPE,
    body: typeof value === "string" ? value : JSON.stringify(value),
    ...options,
  };
}

/** Returns an answer for people, without a Status. */
export function text(code: number, body: string): Answer {
  return { code, contentType: TEXT_TYPE, body };
}

/** A client that takes nothing lets this much wait; what is streamed waits where it is meanwhile. */
const MAX_WAITING_BYTES = 1024 * 1024;

/** Text as it comes. */
export function streamed(stream: ReadableStream<Uint8Array>): Answer {
  return { code: 200, contentType: TEXT_TYPE, stream: (sink) => void copy(stream, sink) };
}

async function copy(stream: ReadableStream<Uint8Array>, sink: Sink): Promise<void> {
  const reader = stream.getReader();
  let drained = () => {};
  sink.onDrain(() => drained());
  sink.onClose(() => {
    drained();
    reader.cancel().catch(() => {});
  });
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      sink.write(chunk.value);
      if (sink.waitingBytes > MAX_WAITING_BYTES) await new Promise<void>((resolve) => drained = resolve);
    }
    sink.end();
  } catch {
    // The log broke off: so does the answer, lest it be taken for the whole.
    sink.destroy();
  }
}
