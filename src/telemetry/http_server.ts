import { type Clock, endsWithin } from "../base/clock.ts";
import { type Answer, HttpConnection } from "./http_connection.ts";
import { LastingServer } from "./lasting_server.ts";
import { formatListenAddress, type ListenAddress, listenOn } from "./listen_address.ts";
import { loggerFor } from "./logging.ts";
import { closeQuietly } from "./relay.ts";
import { TlsFront } from "./tls_front.ts";

/** At a time, however many ask: a page must not cost a run its memory. */
const MAX_CONNECTIONS = 200;

/** Of TLS, under way at a time: with one more, the one that began first is broken off. */
const MAX_HANDSHAKES = 200;

/** A connection ends that has been so for longer. */
const PATIENCE_MS = {
  /** Its handshake has not come to its end, or its first request has not come, or not whole. */
  silent: 20_000,
  /** All that it asked for was answered. */
  idle: 120_000,
  /** A request has no answer yet. One whose answer is a stream has one. */
  unanswered: 300_000,
} as const;
const LOOK_MS = 5_000;

/** All may take so long to end. */
const END_MS = 1_000;

/** Before the next connection is taken where one could not be: there may be no file descriptor left. */
const PAUSE_MS = 200;

const LOOPBACK = { hostname: "127.0.0.1" } as const;

const log = loggerFor("endpoint");

export interface HttpServerOptions {
  /** The thing that is served, for the log and for errors: `metrics`. */
  readonly what: string;
  readonly address: ListenAddress;
  /** PEM. Absent: plain HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  readonly clock: Clock;
  /** Answers a request, whose URL begins with `http:` over TLS too. */
  readonly answer: Answer;
  /** Connections at a time. @default {200} */
  readonly max?: number | undefined;
}

/**
 * Answers the requests of so many connections at a time. Where there are as many already, one that asks for nothing makes
 * place for a new one: a client that only holds connections keeps no one out.
 *
 * `Deno.serve` accepts as many connections as come, and lets each wait for ever; `node:http` of Deno 2.7 is no better. So
 * `Deno.serve` listens on loopback, and gets from here alone what is relayed: it answers no other program of this machine,
 * though one could hold connections to it.
 */
export class HttpServer {
  /** The port, where any was asked for. */
  readonly port: number;
  readonly #options: HttpServerOptions;
  readonly #listener: Deno.TcpListener;
  readonly #front: TlsFront | undefined;
  readonly #inner: LastingServer;
  readonly #open = new Set<HttpConnection>();
  /** By when each began, the oldest first. */
  readonly #handshakes = new Map<AbortController, number>();
  readonly #stop = new AbortController();
  readonly #finished: Promise<unknown>;

  /** @throws {ListenError} */
  constructor(options: HttpServerOptions) {
    const { what, address, tls, clock } = options;
    this.#options = options;
    this.#front = listenOn(what, address, () => tls && new TlsFront(tls));
    this.#listener = listenOn(what, address, (hostname) => Deno.listen({ hostname, port: address.port }));
    this.#inner = new LastingServer({
      clock,
      listen: (signal, port = 0) => listenOn(what, { ...LOOPBACK, port }, () => this.#serve(signal, port)),
      onFailure: (error) => log.warn("Cannot accept connections of {endpoint}: {error}", { endpoint: what, error }),
    });
    this.port = this.#listener.addr.port;
    this.#finished = Promise.all([this.#accept(), this.#look()]);
    const at = formatListenAddress({ ...address, port: this.port });
    log.info("Serving {endpoint} on {address}", { endpoint: what, address: at });
  }

  /** How many are open. */
  get size(): number {
    return this.#open.size;
  }

  /** Ends all. */
  async close(): Promise<void> {
    this.#stop.abort();
    this.#listener.close();
    for (const handshake of this.#handshakes.keys()) handshake.abort();
    const ends = Array.from(this.#open, (connection) => connection.end());
    await this.#finished;
    await Promise.all(ends);
    // Deno waits for answers that no one awaits any more.
    await endsWithin(this.#options.clock, END_MS, this.#inner.close());
    await this.#front?.close();
  }

  #serve(signal: AbortSignal, port: number): Deno.HttpServer<Deno.NetAddr> {
    const onError = () => new Response(null, { status: 500 });
    return Deno.serve(
      { ...LOOPBACK, port, signal, onListen: () => {}, onError },
      (request, { remoteAddr, completed }) => {
        const connection = this.#open.values().find(({ innerPort }) => innerPort === remoteAddr.port);
        return connection?.respond(request, completed) ?? new Response(null, { status: 400 });
      },
    );
  }

  async #accept(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      try {
        await this.#greet(await this.#listener.accept());
      } catch {
        await this.#sleep(PAUSE_MS);
      }
    }
  }

  async #greet(accepted: Deno.Conn): Promise<void> {
    const front = this.#front;
    if (!front) return this.#take(accepted);
    if (this.#handshakes.size >= MAX_HANDSHAKES) this.#breakOffOldest();
    const end = new AbortController();
    this.#handshakes.set(end, this.#options.clock.monotonic());
    const done = (connection?: Deno.Conn) => {
      this.#handshakes.delete(end);
      if (connection) this.#take(connection);
    };
    try {
      const { secured } = await front.greet(accepted, AbortSignal.any([end.signal, this.#stop.signal]));
      secured.then(done);
    } catch (error) {
      done();
      closeQuietly(accepted);
      throw error;
    }
  }

  #breakOffOldest(): void {
    const [oldest] = this.#handshakes.keys();
    this.#handshakes.delete(oldest!);
    oldest!.abort();
  }

  #take(accepted: Deno.Conn): void {
    const { clock, answer, max = MAX_CONNECTIONS } = this.#options;
    if (this.#stop.signal.aborted) return closeQuietly(accepted);
    if (this.#open.size >= max) {
      const idle = this.#longest("silent") ?? this.#longest("idle");
      if (!idle) return accepted.close();
      this.#end(idle);
    }
    const connect = () => Deno.connect({ ...LOOPBACK, port: this.#inner.port });
    const connection = new HttpConnection({ accepted, connect, clock, answer });
    this.#open.add(connection);
    connection.finished.then(() => this.#open.delete(connection));
  }

  /** The one that has been so for longest. */
  #longest(state: HttpConnection["state"]): HttpConnection | undefined {
    let longest: HttpConnection | undefined;
    for (const connection of this.#open) {
      if (connection.state === state && !(longest && longest.since <= connection.since)) longest = connection;
    }
    return longest;
  }

  async #look(): Promise<void> {
    const { clock } = this.#options;
    while (!this.#stop.signal.aborted) {
      await this.#sleep(LOOK_MS);
      const now = clock.monotonic();
      for (const [handshake, since] of this.#handshakes) if (now - since > PATIENCE_MS.silent) handshake.abort();
      for (const connection of this.#open) {
        const { state, since } = connection;
        if (state !== "answering" && now - since > PATIENCE_MS[state]) this.#end(connection);
      }
    }
  }

  #end(connection: HttpConnection): void {
    this.#open.delete(connection);
    connection.end();
  }

  async #sleep(ms: number): Promise<void> {
    await this.#options.clock.sleep(ms, this.#stop.signal).catch(() => {/* all ends */});
  }
}
