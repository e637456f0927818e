import type { Clock } from "../runtime/clock.ts";
import { loggerFor } from "../telemetry/logging.ts";
import { ApiError } from "./api_error.ts";
import type { Lane } from "./client.ts";
import type { ConnectionConfig } from "./connection_config.ts";
import {
  type ClientCertificate,
  type Credential,
  type CredentialSource,
  fixedCredential,
  TokenFile,
} from "./credentials.ts";
import { RequestLanes } from "./lanes/request_lanes.ts";
import { Refusals } from "./refusals.ts";
import { secretsOf } from "./request_secrets.ts";
import { asksToComeBack, retryDelayMs } from "./retry.ts";
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

/**
 * Stands before a write, at each attempt. What it throws is thrown by the write, and nothing is sent. What it gives back
 * is told afterwards whether the server has said what became of it; if not, it may take effect later.
 */
export type WriteGuard = () => void | ((answered: boolean) => void);

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
  readonly signal?: AbortSignal;
  /** Called immediately before the request leaves: what it throws is thrown, and nothing is sent. */
  readonly guard?: WriteGuard;
  /** Which part of the program asks: the user agent says so. */
  readonly component?: string;
}

/** One HTTP exchange under way. */
interface Exchange {
  readonly abort: AbortController;
  /** Monotonic. */
  deadline: number;
  timedOut: boolean;
}

/** An answer whose body is still to be read. Whoever gets it must call `close`. */
export interface OpenResponse {
  readonly response: Response;
  /** Tells that bytes came: the answer is alive for another `watchIdleMs`. */
  touch(): void;
  /** Leaves the answer to the caller alone: only its own signal ends it from now on. */
  handOver(): void;
  /** What an error while reading the body means: the caller's abort, silence, or a broken connection. */
  explain(error: unknown): unknown;
  close(): void;
}

const logger = loggerFor("client");

const SWEEP_MS = 1_000;
/** Small, open to everybody, and subject to the server's own limits for this client, which `/readyz` is not. */
const PROBE: TransportRequest = {
  verb: "get",
  method: "GET",
  resource: "",
  action: "get /version",
  path: "/version",
  lane: "lease",
};
/** Below what API servers keep an idle connection for, so that a request rarely meets one that is just being closed. */
const POOL_IDLE_MS = 30_000;

/** Sends requests to one API server: lanes, credentials, connections, time limits, and what 429 and 401 ask for. */
export class Transport implements AsyncDisposable {
  readonly #base: string;
  readonly #host: string;
  readonly #config: ConnectionConfig;
  readonly #options: TransportOptions;
  readonly #clock: Clock;
  readonly #lanes: RequestLanes;
  readonly #refusals: Refusals;
  readonly #credentials: CredentialSource;
  readonly #exchanges = new Set<Exchange>();
  readonly #closed = new AbortController();
  #caCertificates: readonly string[] | undefined;
  #connections: Deno.HttpClient | undefined;
  #connectedWith: ClientCertificate | undefined;
  #lastAnswerAt = -Infinity;
  #sweeping = false;

  constructor(config: ConnectionConfig, options: TransportOptions) {
    const url = new URL(config.server);
    this.#base = config.server.replace(/\/+$/, "");
    this.#host = url.host;
    this.#config = config;
    this.#caCertificates = config.caCertificates;
    this.#options = options;
    this.#clock = options.clock;
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
    this.#refusals = new Refusals({ clock: this.#clock, lanes, probe: () => this.#answersWell(), signal });
    this.#credentials = config.credentials ??
      (config.tokenFile !== undefined
        ? new TokenFile(config.tokenFile, options.clock)
        : fixedCredential({ token: config.token, clientCertificate: config.clientCertificate }));
  }

  /** Sends a request and reads its answer, as often as the server asks to come back. */
  async call<R>(request: TransportRequest, read: (response: Response) => Promise<R>): Promise<R> {
    return await this.#attempts(request, async () => {
      const open = await this.#exchange(request);
      try {
        return await read(open.response);
      } catch (error) {
        throw open.explain(error);
      } finally {
        open.close();
      }
    });
  }

  /** Sends a request whose answer is read for as long as bytes come. It holds no place in its lane meanwhile. */
  async open(request: TransportRequest): Promise<OpenResponse> {
    return await this.#attempts(request, async () => {
      const open = await this.#exchange(request);
      open.touch();
      return open;
    });
  }

  // deno-lint-ignore require-await
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort(new UnreachableError("Cannot send a request: the client is closed"));
    for (const exchange of this.#exchanges) exchange.abort.abort(this.#closed.signal.reason);
    this.#lanes.close(this.#closed.signal.reason);
    this.#connections?.close();
    this.#connections = undefined;
  }

  async #attempts<R>(request: TransportRequest, attempt: () => Promise<R>): Promise<R> {
    const { namespace, lane, method, signal } = request;
    let isRenewed = false;
    let waitedMs = 0;
    for (let attempts = 1;; attempts++) {
      this.#closed.signal.throwIfAborted();
      try {
        using _place = await this.#place(request);
        return await attempt();
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        if (error.code === 401 && !isRenewed) {
          isRenewed = true;
          this.#credentials.invalidate();
          continue;
        }
        if (asksToComeBack(error)) this.#refusals.note({ namespace, byServer: lane === "lease" || method === "GET" });
        const delayMs = retryDelayMs(lane, error, { attempts, waitedMs });
        if (delayMs === undefined) throw error;
        const { signal: closed } = this.#closed;
        await this.#clock.sleep(delayMs, signal ? AbortSignal.any([closed, signal]) : closed);
        waitedMs += delayMs;
      }
    }
  }

  async #place({ lane, namespace, method, signal }: TransportRequest): Promise<Disposable> {
    const since = this.#clock.monotonic();
    const place = await this.#lanes.acquire(lane, namespace, signal);
    const waitMs = this.#clock.monotonic() - since;
    this.#options.observer?.onLaneWait?.({ lane, method, host: this.#host, waitMs });
    return place;
  }

  /** Any answer is a good one that does not ask to come back. */
  async #answersWell(): Promise<boolean> {
    try {
      const open = await this.#exchange(PROBE);
      await open.response.arrayBuffer().finally(open.close);
      return true;
    } catch (error) {
      this.#closed.signal.throwIfAborted();
      return error instanceof ApiError && !asksToComeBack(error);
    }
  }

  async #exchange(request: TransportRequest): Promise<OpenResponse> {
    const known = this.#credentials.current();
    const credential = known instanceof Promise ? await this.#issued(known, request) : known;
    const { signal } = request;
    const exchange: Exchange = {
      abort: new AbortController(),
      deadline: this.#clock.monotonic() + (this.#options.timeoutMs ?? 30_000),
      timedOut: false,
    };
    const abort = () => exchange.abort.abort(signal!.reason);
    const close = () => {
      signal?.removeEventListener("abort", abort);
      this.#exchanges.delete(exchange);
    };
    const explain = (error: unknown) => this.#explain(error, request, exchange);
    signal?.throwIfAborted();
    const answered = request.guard?.();
    signal?.addEventListener("abort", abort, { once: true });
    this.#exchanges.add(exchange);
    this.#sweep();
    const started = this.#clock.monotonic();
    let response: Response;
    try {
      response = await fetch(this.#base + request.path, {
        method: request.method,
        headers: this.#headers(request, credential),
        body: request.body,
        signal: exchange.abort.signal,
        redirect: "manual",
        client: this.#connect(credential.clientCertificate),
      });
    } catch (error) {
      close();
      answered?.(false);
      this.#observe(request, 0, started);
      await this.#renewCaCertificates();
      throw explain(error);
    }
    // A server that failed, or gave up waiting for its storage, may do it all the same.
    answered?.(response.status < 500);
    this.#lastAnswerAt = this.#clock.monotonic();
    this.#observe(request, response.status, started);
    if (this.#options.observer?.onWarning && response.headers.has("warning")) this.#warn(request, response);
    if (!response.ok) {
      const error = await apiErrorOf(request.action, response, () => secretsOf(credential, request));
      close();
      throw error;
    }
    const touch = () => {
      this.#lastAnswerAt = this.#clock.monotonic();
      exchange.deadline = this.#lastAnswerAt + (this.#options.watchIdleMs ?? 150_000);
    };
    const handOver = () => void this.#exchanges.delete(exchange);
    return { response, touch, handOver, explain, close };
  }

  /** A request that gets no credential counts as one that gets no answer. */
  async #issued(credential: Promise<Credential>, request: TransportRequest): Promise<Credential> {
    const started = this.#clock.monotonic();
    try {
      return await credential;
    } catch (error) {
      this.#observe(request, 0, started);
      throw error;
    }
  }

  #headers(request: TransportRequest, credential: Credential): Record<string, string> {
    const { userAgent } = this.#options;
    const headers: Record<string, string> = {
      "accept": "application/json",
      "user-agent": request.component ? `${userAgent} ${request.component}` : userAgent,
    };
    if (credential.token) headers.authorization = `Bearer ${credential.token}`;
    return { ...headers, ...credential.headers, ...request.headers };
  }

  #connect(certificate: ClientCertificate | undefined): Deno.HttpClient {
    const known = this.#connectedWith;
    if (this.#connections && known?.certificate === certificate?.certificate && known?.key === certificate?.key) {
      return this.#connections;
    }
    this.#disconnect();
    const caCertificates = this.#caCertificates;
    const { proxyUrl } = this.#config;
    this.#connectedWith = certificate;
    return this.#connections = Deno.createHttpClient({
      poolIdleTimeout: POOL_IDLE_MS,
      ...(caCertificates && { caCerts: [...caCertificates] }),
      ...(proxyUrl && { proxy: { url: proxyUrl } }),
      ...(certificate && { cert: certificate.certificate, key: certificate.key }),
    });
  }

  /** The server may have got a certificate of a new CA, which then is in the file: the next request knows it. */
  async #renewCaCertificates(): Promise<void> {
    const { caFile } = this.#config;
    if (caFile === undefined) return;
    const text = await Deno.readTextFile(caFile).catch(() => "");
    if (!text.includes("BEGIN CERTIFICATE") || text === this.#caCertificates?.join("")) return;
    this.#caCertificates = [text];
    this.#disconnect();
  }

  /** Requests under way go on; the next one makes connections of its own. */
  #disconnect(): void {
    this.#connections?.close();
    this.#connections = undefined;
  }

  #explain(error: unknown, request: TransportRequest, exchange: Exchange): unknown {
    if (exchange.timedOut) {
      return new UnreachableError(`Cannot ${request.action}: the server at ${this.#host} gives no answer`, {
        cause: error,
      });
    }
    if (exchange.abort.signal.aborted) return exchange.abort.signal.reason;
    if (error instanceof ApiError || !(error instanceof Error)) return error;
    return new UnreachableError(`Cannot ${request.action}: ${reasonOf(error)}`, { cause: error });
  }

  #observe(request: TransportRequest, code: number, started: number): void {
    const { verb, resource, method } = request;
    const durationMs = this.#clock.monotonic() - started;
    if (logger.isEnabledFor("debug")) {
      logger.debug("Request: {action}: {code}", { action: request.action, code, durationMs: Math.round(durationMs) });
    }
    this.#options.observer?.onRequest?.({ verb, resource, method, host: this.#host, code, durationMs });
  }

  #warn({ action }: TransportRequest, response: Response): void {
    // `299 - "text"`, several of them joined by commas.
    const header = response.headers.get("warning")!;
    for (const [, text] of header.matchAll(/\b\d{3} \S+ "((?:[^"\\]|\\.)*)"/g)) {
      this.#options.observer!.onWarning!({ text: text.replace(/\\(.)/g, "$1"), action });
    }
  }

  /** One timer for all exchanges, instead of one each. Runs only while something is under way. */
  async #sweep(): Promise<void> {
    if (this.#sweeping) return;
    this.#sweeping = true;
    try {
      while (this.#exchanges.size > 0) {
        await this.#clock.sleep(SWEEP_MS, this.#closed.signal);
        const now = this.#clock.monotonic();
        for (const exchange of this.#exchanges) {
          if (exchange.deadline > now) continue;
          exchange.timedOut = true;
          exchange.abort.abort(new DOMException("Timed out", "TimeoutError"));
          // Over HTTP/2 everything shares one connection. If nothing at all came over it lately, it may be dead.
          if (now - this.#lastAnswerAt > 2 * SWEEP_MS) this.#disconnect();
        }
      }
    } catch {
      // The client was closed.
    } finally {
      this.#sweeping = false;
    }
  }
}

/** Deno 2.9 says just "fetch failed", and the reason in the cause. */
function reasonOf(error: Error): string {
  // Its message quotes what was read, which may be anything.
  if (error instanceof SyntaxError) return "the server's answer is no JSON";
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message;
}
