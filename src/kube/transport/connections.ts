import type { Clock } from "../../base/clock.ts";
import type { ConnectionConfig } from "../connection_config.ts";
import type { ClientCertificate } from "../credentials.ts";
import type { Answer } from "../sockets/answer.ts";
import { bounded } from "./bounded_answer.ts";
import { NotConnectedError, Openings } from "../sockets/openings.ts";
import { SocketPool, type WriteRequest } from "../sockets/socket_pool.ts";

/**
 * Below what API servers and load balancers keep an idle connection for, so that a request rarely meets one that is just
 * being closed; above {@linkcode SILENCE_MS}, so that a probe finds a connection that is as old as the silence.
 */
const POOL_IDLE_MS = 45_000;

/** The variables in which `fetch` looks for a proxy. */
const PROXY_VARIABLES = ["ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY"];

export interface WireRequest extends Omit<WriteRequest, "body"> {
  readonly body?: BodyInit | undefined;
}

/** The signal that a request is sent under: requests of one ending may be ended together. */
export interface Ending {
  readonly signal: AbortSignal;
  /** Settles as `part` does, or rejects as soon as the request is ended. */
  until<R>(part: Promise<R>): Promise<R>;
}

/**
 * Connections that show the same certificate, all of them HTTP/1.1: each carries one request at a time, and a watch has its
 * own.
 *
 * Over HTTP/2 all would share one, and there Deno's `fetch` loses streams: a watch beside many writes stops delivering for
 * good, without an error (denoland/deno#21749).
 */
export class Pool {
  readonly #base: string;
  readonly #client: Deno.HttpClient;
  /** Absent where only `fetch` knows the way. */
  readonly #sockets: SocketPool | undefined;
  #isClosed = false;

  constructor({ base, client, sockets }: { base: string; client: Deno.HttpClient; sockets: SocketPool | undefined }) {
    this.#base = base;
    this.#client = client;
    this.#sockets = sockets;
  }

  /** Sends a request whose answer may be long, or endless. */
  async fetch({ method, path, headers, body, departure }: WireRequest, ending: Ending): Promise<Response> {
    const { signal } = ending;
    departure.leaves();
    const init = { method, headers, body: body ?? null, signal, redirect: "manual", client: this.#client } as const;
    const answered = fetch(this.#base + path, init);
    try {
      return await ending.until(answered);
    } catch (error) {
      // An answer that comes at the very end would hold its connection.
      answered.then((response) => response.body?.cancel()).catch(() => {/* none has come */});
      throw error;
    }
  }

  /**
   * Sends a request whose answer is short. Writes come in bursts, and cost less over a connection of our own than by `fetch`
   * (the README has numbers); the `fetch` of Deno 2.7 also repeats a write by itself when its connection breaks.
   */
  async send(request: WireRequest, ending: Ending): Promise<Answer> {
    const { method, body } = request;
    if (!this.#sockets || method === "GET" || (body !== undefined && typeof body !== "string")) {
      return await this.#fetchShort(request, ending);
    }
    try {
      return await this.#sockets.send({ ...request, body }, (part) => ending.until(part));
    } catch (error) {
      // `fetch` tries every address of a name, and says best why none works.
      if (error instanceof NotConnectedError && !this.#isClosed) return await this.#fetchShort(request, ending);
      throw error;
    }
  }

  async #fetchShort(request: WireRequest, ending: Ending): Promise<Answer> {
    return bounded(await this.fetch(request, ending));
  }

  /** Opens connections so that so many writes find one each. */
  async prepare(writes: number): Promise<void> {
    await this.#sockets?.prepare(writes);
  }

  /** Closes idle connections. Requests under way go on. */
  close(): void {
    this.#isClosed = true;
    this.#client.close();
    this.#sockets?.close();
  }
}

/** The connections to one API server. */
export class Connections {
  readonly #config: ConnectionConfig;
  readonly #clock: Clock;
  readonly #base: string;
  readonly #openings: Openings;
  /** Whether only `fetch` knows the way: through a proxy, or with a password in the URL. */
  readonly #needsFetch: boolean;
  #caCertificates: readonly string[] | undefined;
  #pool: Pool | undefined;
  #certificate: ClientCertificate | undefined;

  constructor(config: ConnectionConfig, clock: Clock) {
    this.#config = config;
    this.#clock = clock;
    this.#base = config.server.replace(/\/+$/, "");
    this.#openings = new Openings(clock);
    this.#needsFetch = config.proxyUrl !== undefined || isProxied() || new URL(config.server).username !== "";
    this.#caCertificates = config.caCertificates;
  }

  /** The connections that show this certificate. */
  poolFor(certificate: ClientCertificate | undefined): Pool {
    const known = this.#certificate;
    if (this.#pool && known?.certificate === certificate?.certificate && known?.key === certificate?.key) {
      return this.#pool;
    }
    this.close();
    const caCertificates = this.#caCertificates;
    const { proxyUrl } = this.#config;
    const client = Deno.createHttpClient({
      http2: false,
      poolIdleTimeout: POOL_IDLE_MS,
      ...(caCertificates && { caCerts: [...caCertificates] }),
      ...(proxyUrl && { proxy: { url: proxyUrl } }),
      ...(certificate && { cert: certificate.certificate, key: certificate.key }),
    });
    const sockets = this.#needsFetch || certificate ? undefined : new SocketPool({
      url: new URL(this.#base),
      caCertificates,
      clock: this.#clock,
      openings: this.#openings,
    });
    this.#certificate = certificate;
    return this.#pool = new Pool({ base: this.#base, client, sockets });
  }

  /** Reads the CA file anew, for the next request: the server may have got a certificate of a new CA. */
  async renewCaCertificates(): Promise<void> {
    const { caFile } = this.#config;
    if (caFile === undefined) return;
    const text = await Deno.readTextFile(caFile).catch(() => "");
    if (!text.includes("BEGIN CERTIFICATE") || text === this.#caCertificates?.join("")) return;
    this.#caCertificates = [text];
    this.close();
  }

  /** Makes the next request open a connection of its own, if those of `pool` are still the ones in use. */
  abandon(pool: Pool): void {
    if (pool === this.#pool) this.close();
  }

  /** Closes idle connections. Requests under way go on; the next one opens a connection of its own. */
  close(): void {
    this.#pool?.close();
    this.#pool = undefined;
  }
}

let proxied: boolean | undefined;

/** Returns whether the environment names a proxy. It is read once, as a program may drop the right to read it. */
function isProxied(): boolean {
  return proxied ??= PROXY_VARIABLES.some((name) => Deno.env.get(name) || Deno.env.get(name.toLowerCase()));
}
