import type { Clock } from "../../base/clock.ts";
import { ApiError } from "../api_error.ts";
import type { Lane, PlaceWaiter } from "../client.ts";
import type { ConnectionConfig } from "../connection_config.ts";
import { type CredentialSource, fixedCredential, TokenFile } from "../credentials.ts";
import { RequestLanes } from "../lanes/request_lanes.ts";
import { asksToComeBack } from "../retry.ts";
import type { Answer } from "../sockets/answer.ts";
import { apiErrorOf } from "../status.ts";
import { UnreachableError } from "../unreachable_error.ts";
import { bounded } from "./bounded_answer.ts";
import { Call, compose, type Send } from "./call.ts";
import { Connections } from "./connections.ts";
import { credential } from "./credential_layer.ts";
import { Exchanges } from "./exchanges.ts";
import { lane } from "./lane_layer.ts";
import { ObserveLayer } from "./observe_layer.ts";
import { explain, OpenResponse } from "./open_response.ts";
import { Refusals } from "./refusals.ts";
import type { TransportOptions, TransportRequest } from "./request.ts";
import { RequestHeaders } from "./request_headers.ts";
import { secretsOf } from "./request_secrets.ts";
import { refusedOnce } from "./refused_once_layer.ts";
import { retry } from "./retry_layer.ts";

/**
 * Finds out whether the server takes requests. `/version` is small, open to everyone, and, other than `/readyz`, subject to the
 * server's own limits for this client.
 */
const PROBE: TransportRequest = {
  verb: "get",
  method: "GET",
  resource: "",
  action: "get /version",
  path: "/version",
  lane: "lease",
};

/**
 * Sends requests to one API server.
 *
 * ```
 * call -> refused once -> retry -> lane -> credential -> exchange: deadline, guard, report
 * ```
 */
export class Transport implements AsyncDisposable {
  readonly clock: Clock;
  readonly #host: string;
  readonly #lanes: RequestLanes;
  readonly #credentials: CredentialSource;
  readonly #connections: Connections;
  readonly #headers: RequestHeaders;
  readonly #exchanges: Exchanges;
  readonly #observe: ObserveLayer;
  /** Sends a call through all layers. */
  readonly #send: Send;
  /** Sends the probe, past the layers of retries and lanes. */
  readonly #sendAtOnce: Send;
  readonly #closed = new AbortController();

  constructor(config: ConnectionConfig, options: TransportOptions) {
    const { clock, observer, timeoutMs = 30_000, watchIdleMs = 150_000 } = options;
    const { signal: closed } = this.#closed;
    const { host } = new URL(config.server);
    this.clock = clock;
    this.#host = host;
    const lanes = this.#lanes = new RequestLanes(options);
    observer?.onLanes?.(lanes);
    this.#credentials = credentialsOf(config, clock);
    this.#connections = new Connections(config, clock);
    this.#headers = new RequestHeaders(options.userAgent);
    this.#exchanges = new Exchanges({
      clock,
      closed,
      timeoutMs,
      watchIdleMs,
      probe: (signal) => this.#probe(signal),
      abandon: (pool) => this.#connections.abandon(pool),
    });
    const observe = this.#observe = new ObserveLayer({ clock, host, observer });
    const refusals = new Refusals({ clock, lanes, probe: () => this.#answersWell(), signal: closed });
    this.#sendAtOnce = compose([credential(this.#credentials, observe)], (call) => this.#exchange(call));
    const layers = [retry({ clock, refusals, closed }), lane(lanes, host, observer)];
    this.#send = compose(options.refusesOnce ? [refusedOnce(), ...layers] : layers, this.#sendAtOnce);
  }

  /** Sends a request and reads its answer. Sends it again where the server asks to come back and its lane waits so long. */
  call<R>(request: TransportRequest, read: (answer: Answer) => Promise<R>): Promise<R> {
    return this.#send(new Call(request, read)) as Promise<R>;
  }

  /** Sends a request whose answer the caller reads as a stream. Meanwhile it holds no place in its lane. */
  open(request: TransportRequest): Promise<OpenResponse> {
    return this.#send(new Call(request)) as Promise<OpenResponse>;
  }

  /** Has `waiter` started when a request of the lane may leave. */
  whenFree(lane: Lane, namespace: string | undefined, waiter: PlaceWaiter, signal?: AbortSignal): void {
    if (this.#closed.signal.aborted) return waiter.turnAway(this.#closed.signal.reason);
    this.#lanes.whenFree(lane, namespace, waiter, signal);
  }

  /** Returns whether answers to requests of the lane take long in a namespace. */
  isSlow(lane: Lane, namespace: string | undefined): boolean {
    return this.#lanes.isSlow(lane, namespace);
  }

  /** Opens connections for so many writes, but for no more than may be in flight. */
  async prepare(writes: number): Promise<void> {
    if (this.#closed.signal.aborted || this.#lanes.isPaused) return;
    const { clientCertificate } = await this.#credentials.current();
    await this.#connections.poolFor(clientCertificate).prepare(Math.min(writes, this.#lanes.limit));
  }

  // deno-lint-ignore require-await
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort(new UnreachableError("Cannot send a request: the client is closed"));
    this.#exchanges.abortAll(this.#closed.signal.reason);
    this.#lanes.close(this.#closed.signal.reason);
    this.#connections.close();
  }

  /** Sends a call once. Resolves with what was read, or with the open answer of a stream. */
  async #exchange(call: Call): Promise<unknown> {
    const { request, read } = call;
    request.signal?.throwIfAborted();
    this.#begin(call);
    let answer: Answer;
    try {
      answer = await this.#overWire(call);
    } catch (error) {
      throw await this.#unanswered(call, error);
    }
    this.#exchanges.answered();
    this.#observe.answered(call, answer);
    // A write may take effect although it is answered by a 5xx: the server failed after it, or stopped waiting for its storage.
    call.ended(answer.status < 500);
    if (!answer.ok) throw await this.#refusal(call, answer);
    if (!read) return new OpenResponse(answer as Response, call, { exchanges: this.#exchanges, host: this.#host });
    try {
      return await call.exchange.until(read(answer));
    } catch (error) {
      throw explain(error, call, this.#host);
    } finally {
      this.#end(call);
    }
  }

  #begin(call: Call): void {
    const { credential: { clientCertificate }, request: { signal }, read } = call;
    const pool = call.pool = this.#connections.poolFor(clientCertificate);
    call.exchange = read ? this.#exchanges.join(pool, signal) : this.#exchanges.stream(pool, signal);
    this.#observe.begins(call);
  }

  /** Called once the answer has been read, or will not be. */
  #end({ exchange, read }: Call): void {
    if (read) this.#exchanges.leave(exchange);
    else this.#exchanges.close(exchange);
  }

  #overWire(call: Call): Promise<Answer> {
    const { request: { verb, method, path, body }, exchange, pool } = call;
    const wire = { method, path, headers: this.#headers.of(call), body, departure: call };
    // A page of a list may be long; a stream has no end.
    const isShort = call.read !== undefined && verb !== "list";
    return isShort ? pool.send(wire, exchange) : pool.fetch(wire, exchange);
  }

  async #unanswered(call: Call, error: unknown): Promise<unknown> {
    this.#end(call);
    this.#observe.unanswered(call);
    call.ended(false);
    if (call.isWithheld) return error;
    await this.#connections.renewCaCertificates();
    return explain(error, call, this.#host);
  }

  async #refusal(call: Call, answer: Answer): Promise<ApiError> {
    const { request, credential, exchange } = call;
    try {
      const text = exchange.until((answer instanceof Response ? bounded(answer) : answer).text());
      return await apiErrorOf(request.action, answer, text, () => secretsOf(credential, request));
    } finally {
      this.#end(call);
    }
  }

  async #probe(signal: AbortSignal): Promise<void> {
    await this.#sendAtOnce(new Call({ ...PROBE, signal }, (answer) => answer.text()));
  }

  /** Returns whether the server answers a probe otherwise than by asking to come back. */
  async #answersWell(): Promise<boolean> {
    try {
      await this.#probe(this.#closed.signal);
      return true;
    } catch (error) {
      this.#closed.signal.throwIfAborted();
      return error instanceof ApiError && !asksToComeBack(error);
    }
  }
}

function credentialsOf({ credentials, token, tokenFile }: ConnectionConfig, clock: Clock): CredentialSource {
  if (credentials) return credentials;
  return tokenFile === undefined ? fixedCredential({ token }) : new TokenFile(tokenFile, clock);
}
