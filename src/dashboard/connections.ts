import { type Clock, endsWithin } from "../runtime/clock.ts";
import { closeQuietly, type TlsFront } from "./tls_front.ts";

/** At a time, however many ask: a page must not cost a run its memory. */
const MAX_CONNECTIONS = 300;

/** Of TLS, under way at a time: with one more, the one that began first is broken off. */
const MAX_HANDSHAKES = 200;

/**
 * Of one connection: under way at a time, and in all. Over HTTP/1.1 there is one at a time, and the next may come before Deno
 * says that the last answer has left. Who begins HTTP/2 unasked, which Deno takes, could leave any number of answers unread.
 */
const MAX_REQUESTS = { underWay: 8, inAll: 100 } as const;

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

export interface ConnectionsOptions {
  readonly listener: Deno.Listener;
  /** Absent: plain HTTP. */
  readonly front?: TlsFront;
  readonly clock: Clock;
  readonly answer: (request: Request) => Promise<Response>;
  /** @default {300} */
  readonly max?: number;
}

/**
 * Answers the requests of so many connections at a time. Where there are as many already, one that asks for nothing makes
 * place for a new one: who only holds connections keeps no one out.
 */
export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #max: number;
  readonly #open = new Set<Connection>();
  /** By when each began, the oldest first. */
  readonly #handshakes = new Map<AbortController, number>();
  readonly #stop = new AbortController();
  readonly #finished: Promise<unknown>;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
    this.#max = options.max ?? MAX_CONNECTIONS;
    this.#finished = Promise.all([this.#accept(), this.#look()]);
  }

  /** How many are open. */
  get size(): number {
    return this.#open.size;
  }

  /** Ends all. */
  async close(): Promise<void> {
    this.#stop.abort();
    this.#options.listener.close();
    for (const handshake of this.#handshakes.keys()) handshake.abort();
    const ends = Array.from(this.#open, (connection) => connection.end());
    await this.#finished;
    // Of a client that has gone while it was being answered, Deno 2.7 does not say that its connection has ended.
    await endsWithin(this.#options.clock, END_MS, Promise.all(ends));
    await this.#options.front?.close();
  }

  async #accept(): Promise<void> {
    const { listener } = this.#options;
    while (!this.#stop.signal.aborted) {
      try {
        await this.#greet(await listener.accept());
      } catch {
        await this.#sleep(PAUSE_MS);
      }
    }
  }

  async #greet(accepted: Deno.Conn): Promise<void> {
    const { front, clock } = this.#options;
    if (!front) return this.#take(accepted);
    if (this.#handshakes.size >= MAX_HANDSHAKES) this.#breakOffOldest();
    const end = new AbortController();
    this.#handshakes.set(end, clock.monotonic());
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
    const { clock, answer } = this.#options;
    if (this.#stop.signal.aborted) return closeQuietly(accepted);
    if (this.#open.size >= this.#max) {
      const idle = this.#longest("silent") ?? this.#longest("idle");
      if (!idle) return accepted.close();
      this.#end(idle);
    }
    const connection = new Connection(accepted, clock, answer);
    this.#open.add(connection);
    connection.finished.then(() => this.#open.delete(connection));
  }

  /** The one that has been so for longest. */
  #longest(state: Connection["state"]): Connection | undefined {
    let longest: Connection | undefined;
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

  #end(connection: Connection): void {
    this.#open.delete(connection);
    connection.end();
  }

  async #sleep(ms: number): Promise<void> {
    await this.#options.clock.sleep(ms, this.#stop.signal).catch(() => {/* all ends */});
  }
}

class Connection {
  /** Resolves once it has ended, by whichever side. */
  readonly finished: Promise<void>;
  readonly #clock: Clock;
  readonly #answer: (request: Request) => Promise<Response>;
  #cancel = () => {};
  #since: number;
  #asked = 0;
  #unanswered = 0;
  #answering = 0;

  constructor(accepted: Deno.Conn, clock: Clock, answer: (request: Request) => Promise<Response>) {
    this.#clock = clock;
    this.#answer = answer;
    this.#since = clock.monotonic();
    // No real signal: what Deno does when it is aborted throws if the connection has just ended by itself, and what a
    // listener of a real one throws ends the program.
    const signal = { addEventListener: (_: "abort", cancel: () => void) => void (this.#cancel = cancel) };
    const server = serveOn(
      accepted,
      signal,
      (request, { completed }) => this.#respond(request, completed),
      () => new Response(null, { status: 500 }),
      () => {},
    );
    // Where its other side has broken it off, Deno 2.7 keeps what it had for it until it is asked to end it.
    this.finished = server.finished.catch(() => server.shutdown().catch(() => {/* there is nothing left to end */}));
  }

  /**
   * What it is waiting for: to be asked, to be asked again, for an answer of ours, or for that to be read. Deno takes what is
   * no stream for read at once: who reads none of it waits to ask again.
   */
  get state(): "silent" | "idle" | "unanswered" | "answering" {
    if (this.#unanswered > 0) return "unanswered";
    if (this.#answering > 0) return "answering";
    return this.#asked > 0 ? "idle" : "silent";
  }

  /** When that began, by the monotonic clock. */
  get since(): number {
    return this.#since;
  }

  /** Ends it, whatever is under way. Resolves once it has. */
  end(): Promise<void> {
    try {
      this.#cancel();
    } catch {
      // It has ended already.
    }
    return this.finished;
  }

  /**
   * Ends it a moment later: Deno would wait for the rest of a request that was answered before it had come whole. Only for
   * a short answer: Deno says that one has left as soon as it has taken it.
   */
  async #endSoon(): Promise<void> {
    await endsWithin(this.#clock, END_MS, this.finished);
    await this.end();
  }

  async #respond(request: Request, completed: Promise<void>): Promise<Response> {
    // A request of HTTP/1.1 names its host, one of HTTP/2 need not.
    const isHttp1 = request.headers.has("host");
    if (!isHttp1 || this.#answering >= MAX_REQUESTS.underWay || this.#asked >= MAX_REQUESTS.inAll) {
      this.end();
      return new Response(null, { status: 400 });
    }
    this.#asked++;
    this.#unanswered++;
    this.#answering++;
    this.#since = this.#clock.monotonic();
    const done = () => {
      this.#answering--;
      this.#since = this.#clock.monotonic();
    };
    completed.then(done, done);
    try {
      const response = await this.#answer(request);
      if (this.#asked === MAX_REQUESTS.inAll) response.headers.set("connection", "close");
      if (response.status === REQUEST_TIMEOUT) completed.then(() => this.#endSoon(), () => {});
      return response;
    } finally {
      this.#unanswered--;
    }
  }
}

/** The answer to a body that did not come in time. */
const REQUEST_TIMEOUT = 408;

type ServeOn = (
  connection: Deno.Conn,
  signal: { addEventListener(type: "abort", cancel: () => void): void },
  handler: (request: Request, info: Deno.ServeHandlerInfo) => Promise<Response>,
  onError: (error: unknown) => Response,
  onListen: (scheme: string) => void,
) => Pick<Deno.HttpServer, "finished" | "shutdown">;

/**
 * What `Deno.serve` serves a connection by. `Deno.serve` itself accepts as many as come, and lets each wait for ever; and
 * `node:http` knows of none before its first request, up to Deno 2.7.
 */
const { serveHttpOnConnection: serveOn } = internalsOf(Deno as unknown as { readonly internal: symbol });

function internalsOf(deno: { readonly internal: symbol }): { readonly serveHttpOnConnection: ServeOn } {
  return (deno as unknown as Record<symbol, { readonly serveHttpOnConnection: ServeOn }>)[deno.internal]!;
}
