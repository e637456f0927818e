import { ApiError } from "../api_error.ts";
import { MisfitError } from "../misfit.ts";
import { ProtocolError } from "../sockets/answer_head.ts";
import { UnreachableError } from "../unreachable_error.ts";
import type { Call } from "./call.ts";
import type { Exchange, Exchanges } from "./exchanges.ts";

/** The pause after nonsense: a server may answer it for long, and each time the request may have taken effect. */
const NONSENSE_RETRY_MS = 1_000;

/** An answer whose body is still to be read as a stream. The caller must call `close`. */
export class OpenResponse {
  readonly response: Response;
  readonly #call: Call;
  readonly #exchange: Exchange;
  readonly #exchanges: Exchanges;
  readonly #host: string;

  constructor(response: Response, call: Call, { exchanges, host }: { exchanges: Exchanges; host: string }) {
    this.response = response;
    this.#call = call;
    this.#exchange = call.exchange;
    this.#exchanges = exchanges;
    this.#host = host;
    this.touch();
  }

  /** Aborted when the answer is ended before its end, by the caller or by the transport. */
  get signal(): AbortSignal {
    return this.#exchange.signal;
  }

  /** Whether the answer was ended because its connection seems to be dead: a new request may be sent at once. */
  get isAbandoned(): boolean {
    return this.#exchange.end === "abandoned";
  }

  /** Called when bytes came: the answer is alive for another `watchIdleMs`. */
  touch(): void {
    this.#exchanges.touch(this.#exchange);
  }

  /** Leaves the answer to the caller alone: only its own signal ends it from now on. */
  handOver(): void {
    this.#exchanges.close(this.#exchange, { leftToCaller: true });
  }

  /** Returns what an error while reading the body means. */
  explain(error: unknown): unknown {
    return explain(error, this.#call, this.#host);
  }

  close(): void {
    this.#exchanges.close(this.#exchange);
  }
}

/** Returns what an error of an exchange means: the caller's abort, silence, or a broken connection. */
export function explain(error: unknown, { request: { action }, exchange }: Call, host: string): unknown {
  if (exchange.end !== undefined) {
    return new UnreachableError(`Cannot ${action}: the server at ${host} gives no answer`, { cause: error });
  }
  if (exchange.signal.aborted) return exchange.signal.reason;
  if (error instanceof ApiError || !(error instanceof Error)) return error;
  const isNonsense = [SyntaxError, MisfitError, ProtocolError].some((kind) => error instanceof kind);
  const retryAfterMs = isNonsense ? NONSENSE_RETRY_MS : undefined;
  return new UnreachableError(`Cannot ${action}: ${reasonOf(error)}`, { cause: error, retryAfterMs });
}

/** Returns the innermost reason of an error: Deno 2.9 says just "fetch failed", and has the reason in the cause. */
function reasonOf(error: Error): string {
  // The message of a SyntaxError quotes the answer, which may be anything.
  if (error instanceof SyntaxError) return "the server's answer is no JSON";
  return error.cause instanceof Error ? reasonOf(error.cause) : withoutWrapping(error.message);
}

/** `error sending request for url (…): client error (Connect): tcp connect error: Connection refused (os error 111)`: the caller says the rest. */
function withoutWrapping(message: string): string {
  return message
    .replace(/^error sending request(?: for url \(.*?\))?: /, "")
    .replace(/^client error \(\w+\): /, "")
    .replace(/^tcp connect error: /, "")
    .replace(/ \(os error \d+\)$/, "");
}
