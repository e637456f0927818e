import type { Clock } from "../runtime/clock.ts";
import { loggerFor } from "../telemetry/logging.ts";
import { ApiError } from "./api_error.ts";
import type { Lane, Place, PlaceWaiter } from "./client.ts";
import type { ConnectionConfig } from "./connection_config.ts";
import { Connections, type WireRequest } from "./connections.ts";
import { type Credential, type CredentialSource, fixedCredential, isSameCredential, TokenFile } from "./credentials.ts";
import { Departure, type WriteGuard } from "./departure.ts";
import { type Exchange, Exchanges } from "./exchanges.ts";
import { RequestLanes } from "./lanes/request_lanes.ts";
import { Refusals } from "./refusals.ts";
import { secretsOf } from "./request_secrets.ts";
import { asksToComeBack, retryDelayMs } from "./retry.ts";
import type { Answer } from "./sockets/answer.ts";
import { apiErrorOf } from "./status.ts";
import { UnreachableError } from "./unreachable_error.ts";

/** Kubernetes' word for what a request does, as in RBAC rules; a `raw` request has its HTTP method in small letters. */
export type Verb = "get" | "list" | "watch" | "create" | "update" | "patch" | "delete" | string;

/** What a client tells about its requests, for metrics and logs. Called synchronously; must not throw. */
export interface RequestObserver {
  /** One HTTP exchange ended (of a watch: its answer began). `code` is 0 when there was no answer. */
  onRequest?(
    request: { verb: Verb; resource: string; method: string; host: string; code: number; durationMs: number },
  ): void;
  /** A request left its lane after having waited there. */
  onLaneWait?(wait: { lane: Lane; method: string; host: string; waitMs: number }): void;
  /** A client has been made, whose lanes may be looked at from now on. */
  onLanes?(lanes: LanesView): void;
  /** The server warns (a deprecated API, an unknown field). */
  onWarning?(warning: { text: string; action: string }): void;
}

/** The lanes of a client, as they are at the moment. */
export interface LanesView {
  readonly host: string;
  /** How many requests may be in flight now, those of slow namespaces not counted. */
  readonly limit: number;
  inFlight(lane: Lane): number;
  waiting(lane: Lane): number;
}

export interface TransportOptions {
  /** For timeouts, pauses and the re-reading of tokens. Not a fake one where the server's answers take real time. */
  clock: Clock;
  userAgent: string;
  observer?: RequestObserver;
  /** How long an answer may take, its body included. @default {30_000} */
  timeoutMs?: number;
  /**
   * How long a watch may stay silent before its connection counts as dead. API servers send a bookmark a minute.
   * @default {150_000}
   */
  watchIdleMs?: number;
  maxInFlight?: number;
  qps?: number;
  burst?: number;
}

export interface TransportRequest {
  readonly verb: Verb;
  readonly method: string;
  /** The plural, for metrics; empty for `raw`. */
  readonly resource: string;
  /** Of the object, or of those that are listed. */
  readonly namespace?: string;
  /** Completes "Cannot …". */
  readonly action: string;
  /** With the query. */
  readonly path: string;
  readonly body?: BodyInit;
  readonly headers?: Record<string, string>;
  readonly lane: Lane;
  /** What it may leave with, if it is still held. */
  readonly place?: Place;
  readonly signal?: AbortSignal;
  /** Called immediately before the request leaves: what it throws is thrown, and nothing is sent. */
  readonly guard?: WriteGuard;
  /** Which part of the program asks: the user agent says so. */
  readonly component?: string;
}

/** An answer whose body is still to be read. Whoever gets it must call `close`. */
export interface OpenResponse<A extends Answer = Response> {
  readonly response: A;
  /** Aborted when the answer is ended before its end, by the caller or by the transport. */
  readonly signal: AbortSignal;
  /** Tells that bytes came: the answer is alive for another `watchIdleMs`. */
  touch(): void;
  /** Leaves the answer to the caller alone: only its own signal ends it from now on. */
  handOver(): void;
  /** Settles as `part` does, which reads the body, or rejects as soon as the answer is ended. */
  until<R>(part: Promise<R>): Promise<R>;
  /** What an error while reading the body means: the caller's abort, silence, or a broken connection. */
  explain(error: unknown): unknown;
  /** Whether it was ended because its connection seems to be dead: it can be opened anew at once. */
  readonly isAbandoned: boolean;
  close(): void;
}

const logger = loggerFor("client");

/**
 * What is asked to find out whether the server is there, and takes requests. It is small, open to everybody, and subject to
 * the server's own limits for this client, which `/readyz` is not.
 */
const PROBE: TransportRequest = {
  verb: "get",
  method: "GET",
  resource: "",
  action: "get /version",
  path: "/version",
  lane: "lease",
};

/** Sends requests to one API server: lanes, credentials, connections, time limits, and what 429 and 401 ask for. */
export class Transport implements AsyncDisposable {
  readonly #host: string;
  readonly #options: TransportOptions;
  readonly clock: Clock;
  readonly #lanes: RequestLanes;
  readonly #refusals: Refusals;
  readonly #credentials: CredentialSource;
  readonly #connections: Connections;
  readonly #exchanges: Exchanges;
  readonly #closed = new AbortController();
  #latestHeaders: {
    readonly credential: Credential;
    readonly component: string | undefined;
    readonly own: TransportRequest["headers"];
    readonly headers: Record<string, string>;
  } | undefined;

  constructor(config: ConnectionConfig, options: TransportOptions) {
    const url = new URL(config.server);
    this.#host = url.host;
    this.#options = options;
    this.clock = options.clock;
    const lanes = this.#lanes = new RequestLanes(options);
    options.observer?.onLanes?.({
      host: this.#host,
      get limit() {
        return lanes.limit;
      },
      inFlight: (lane) => lanes.inFlight(lane),
      waiting: (lane) => lanes.waiting(lane),
    });
    const { signal } = this.#closed;
    this.#refusals = new Refusals({ clock: this.clock, lanes, probe: () => this.#answersWell(), signal });
    this.#credentials = config.credentials ??
      (config.tokenFile !== undefined
        ? new TokenFile(config.tokenFile, options.clock)
        : fixedCredential({ token: config.token, clientCertificate: config.clientCertificate }));
    this.#connections = new Connections(config, options.clock);
    this.#exchanges = new Exchanges({
      clock: options.clock,
      closed: this.#closed.signal,
      timeoutMs: options.timeoutMs ?? 30_000,
      watchIdleMs: options.watchIdleMs ?? 150_000,
      probe: (signal) => this.#probe(signal),
      abandon: (pool) => this.#connections.abandon(pool),
    });
  }

  /** Sends a request and reads its answer, as often as the server asks to come back. */
  call<R>(request: TransportRequest, read: (response: Answer) => Promise<R>): Promise<R> {
    // Not async: thousands may wait for their place at a time, and each frame of each is memory.
    return this.#attempts(request, (credential) => this.#answer(request, credential, read));
  }

  async #answer<R>(
    request: TransportRequest,
    credential: Credential,
    read: (response: Answer) => Promise<R>,
  ): Promise<R> {
    const open = await this.#exchange(request, credential, "request");
    try {
      return await open.until(read(open.response));
    } catch (error) {
      throw open.explain(error);
    } finally {
      open.close();
    }
  }

  /** Sends a request whose answer is read for as long as bytes come. It holds no place in its lane meanwhile. */
  async open(request: TransportRequest): Promise<OpenResponse> {
    return await this.#attempts(request, async (credential) => {
      const open = await this.#exchange(request, credential, "stream");
      open.touch();
      return open;
    });
  }

  /** Has `waiter` started when a request of the lane may leave. */
  whenFree(lane: Lane, namespace: string | undefined, waiter: PlaceWaiter, signal?: AbortSignal): void {
    if (this.#closed.signal.aborted) return waiter.turnAway(this.#closed.signal.reason);
    this.#lanes.whenFree(lane, namespace, waiter, signal);
  }

  /** Opens connections for so many writes, as far as so many may be in flight. */
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

  async #attempts<R>(request: TransportRequest, attempt: (credential: Credential) => Promise<R>): Promise<R> {
    const { namespace, lane, method, signal } = request;
    let credential: Credential | undefined;
    let isRenewed = false;
    let waitedMs = 0;
    for (let attempts = 1;; attempts++) {
      this.#closed.signal.throwIfAborted();
      try {
        using place = request.place?.isHeld ? request.place : await this.#lanes.acquire(lane, namespace, signal);
        this.#options.observer?.onLaneWait?.({ lane, method, host: this.#host, waitMs: place.waitedMs });
        credential = await this.#credential(request);
        return await attempt(credential);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        if (error.code === 401 && !isRenewed) {
          isRenewed = await this.#isRenewed(credential!, request);
          if (isRenewed) continue;
        }
        if (asksToComeBack(error)) this.#refusals.note({ namespace, byServer: lane === "lease" || method === "GET" });
        const delayMs = retryDelayMs(lane, error, { attempts, waitedMs });
        if (delayMs === undefined) throw error;
        const { signal: closed } = this.#closed;
        await this.clock.sleep(delayMs, signal ? AbortSignal.any([closed, signal]) : closed);
        waitedMs += delayMs;
      }
    }
  }

  /** Any answer is a good one that does not ask to come back. */
  async #answersWell(): Promise<boolean> {
    try {
      await this.#probe(this.#closed.signal);
      return true;
    } catch (error) {
      this.#closed.signal.throwIfAborted();
      return error instanceof ApiError && !asksToComeBack(error);
    }
  }

  /** Returns whether there is a credential other than `refused`, which the server answered 401 to. */
  async #isRenewed(refused: Credential, request: TransportRequest): Promise<boolean> {
    // Many requests may have been refused for the same one.
    if (await this.#credential(request) !== refused) return true;
    this.#credentials.invalidate();
    return !isSameCredential(await this.#credential(request), refused);
  }

  #exchange(request: TransportRequest, credential: Credential, kind: "stream"): Promise<OpenResponse>;
  #exchange(request: TransportRequest, credential: Credential, kind: "request"): Promise<OpenResponse<Answer>>;
  async #exchange(
    request: TransportRequest,
    credential: Credential,
    kind: "request" | "stream",
  ): Promise<OpenResponse<Answer>> {
    const { signal } = request;
    signal?.throwIfAborted();
    const exchanges = this.#exchanges;
    const pool = this.#connections.poolFor(credential.clientCertificate);
    const started = this.clock.monotonic();
    const exchange = kind === "stream"
      ? exchanges.stream(pool, signal, started)
      : exchanges.join(pool, signal, started);
    const { method, path, body } = request;
    const departure = new Departure(request.guard);
    const wire: WireRequest = { method, path, headers: this.#headers(request, credential), body, departure };
    let response: Answer;
    try {
      response = await (kind === "stream" ? pool.fetch(wire, exchange) : pool.send(wire, exchange));
    } catch (error) {
      end(exchanges, exchange, kind);
      if (departure.isWithheld) throw error;
      departure.ended(false);
      this.#observe(request, 0, this.clock.monotonic() - started);
      await this.#connections.renewCaCertificates();
      throw this.#explain(error, request, exchange);
    }
    // A server that failed, or gave up waiting for its storage, may do it all the same.
    departure.ended(response.status < 500);
    const answeredAt = this.clock.monotonic();
    exchanges.answered(answeredAt);
    this.#observe(request, response.status, answeredAt - started);
    if (this.#options.observer?.onWarning && response.headers.has("warning")) this.#warn(request, response);
    if (!response.ok) {
      const text = exchange.until(response.text());
      const error = await apiErrorOf(request.action, response, text, () => secretsOf(credential, request));
      end(exchanges, exchange, kind);
      throw error;
    }
    return {
      response,
      signal: exchange.signal,
      touch: () => exchanges.touch(exchange),
      handOver: () => exchanges.close(exchange, { leftToCaller: true }),
      until: (part) => exchange.until(part),
      explain: (error) => this.#explain(error, request, exchange),
      get isAbandoned() {
        return exchange.end === "abandoned";
      },
      close: () => end(exchanges, exchange, kind),
    };
  }

  async #probe(signal: AbortSignal): Promise<void> {
    const probe = { ...PROBE, signal };
    const open = await this.#exchange(probe, await this.#credential(probe), "request");
    try {
      await open.until(open.response.text());
    } finally {
      open.close();
    }
  }

  #credential(request: TransportRequest): Credential | Promise<Credential> {
    const known = this.#credentials.current();
    return known instanceof Promise ? this.#issued(known, request) : known;
  }

  /** A request that gets no credential counts as one that gets no answer. */
  async #issued(credential: Promise<Credential>, request: TransportRequest): Promise<Credential> {
    const started = this.clock.monotonic();
    try {
      return await credential;
    } catch (error) {
      this.#observe(request, 0, this.clock.monotonic() - started);
      throw error;
    }
  }

  /** In a burst the same ones serve all requests. */
  #headers({ component, headers: own }: TransportRequest, credential: Credential): Record<string, string> {
    const latest = this.#latestHeaders;
    if (latest?.credential === credential && latest.component === component && latest.own === own) {
      return latest.headers;
    }
    const { userAgent } = this.#options;
    const headers: Record<string, string> = {
      "accept": "application/json",
      "user-agent": component ? `${userAgent} ${component}` : userAgent,
      ...(credential.token && { authorization: `Bearer ${credential.token}` }),
      ...credential.headers,
      ...own,
    };
    this.#latestHeaders = { credential, component, own, headers };
    return headers;
  }

  #explain(error: unknown, request: TransportRequest, exchange: Exchange): unknown {
    if (exchange.end !== undefined) {
      return new UnreachableError(`Cannot ${request.action}: the server at ${this.#host} gives no answer`, {
        cause: error,
      });
    }
    if (exchange.signal.aborted) return exchange.signal.reason;
    if (error instanceof ApiError || !(error instanceof Error)) return error;
    return new UnreachableError(`Cannot ${request.action}: ${reasonOf(error)}`, { cause: error });
  }

  #observe(request: TransportRequest, code: number, durationMs: number): void {
    const { verb, resource, method } = request;
    if (logger.isEnabledFor("debug")) {
      logger.debug("Request: {action}: {code}", { action: request.action, code, durationMs: Math.round(durationMs) });
    }
    this.#options.observer?.onRequest?.({ verb, resource, method, host: this.#host, code, durationMs });
  }

  #warn({ action }: TransportRequest, response: Answer): void {
    // `299 - "text"`, several of them joined by commas.
    const header = response.headers.get("warning")!;
    for (const [, text] of header.matchAll(/\b\d{3} \S+ "((?:[^"\\]|\\.)*)"/g)) {
      this.#options.observer!.onWarning!({ text: text.replace(/\\(.)/g, "$1"), action });
    }
  }
}

function end(exchanges: Exchanges, exchange: Exchange, kind: "request" | "stream"): void {
  if (kind === "stream") exchanges.close(exchange);
  else exchanges.leave(exchange);
}

/** Deno 2.9 says just "fetch failed", and the reason in the cause. */
function reasonOf(error: Error): string {
  // Its message quotes what was read, which may be anything.
  if (error instanceof SyntaxError) return "the server's answer is no JSON";
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message;
}
