import type { User } from "../security/authentication.ts";

/** A request as the handlers see it. */
export interface ApiRequest {
  readonly method: string;
  /** Decoded, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  header(name: string): string | undefined;
  readonly user: User;
  /** @throws {Refusal} 413 when it is too large */
  body(): Promise<Uint8Array>;
}

/** What goes back. */
export interface Answer {
  readonly code: number;
  /** Absent only where nothing follows. */
  readonly contentType?: string;
  readonly body?: string | Uint8Array;
  /** Instead of a body: called once the head is sent, and may write until it ends the sink or its client goes away. */
  readonly stream?: (sink: Sink) => void;
  /** Of the object that was written. */
  readonly name?: string;
  readonly warnings?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** The way to one client whose answer has no end yet. */
export interface Sink {
  write(chunk: Uint8Array | string): void;
  /** Bytes that the client has not taken yet. */
  readonly waitingBytes: number;
  end(): void;
  /** Ends the connection, whatever waits. */
  destroy(): void;
  /** Called once, when it is over, by whomever. */
  onClose(callback: () => void): void;
  /** Called whenever nothing waits any more. */
  onDrain(callback: () => void): void;
}

const JSON_TYPE = "application/json";
export const TEXT_TYPE = "text/plain; charset=utf-8";

export function json(value: unknown, options: Partial<Answer> = {}): Answer {
  return {
    code: 200,
    contentType: JSON_TYPE,
    body: typeof value === "string" ? value : JSON.stringify(value),
    ...options,
  };
}

export function text(code: number, body: string): Answer {
  return { code, contentType: TEXT_TYPE, body };
}
