import { after, type Clock } from "../base/clock.ts";
import { closeQuietly, readSome, relay } from "./relay.ts";

/** Answers a request; never rejects. */
export type Answer = (request: Request) => Promise<Response>;

/** The most requests of one connection. */
const MAX_REQUESTS = 100;

/** HTTP/2 that a client begins unasked: it could leave any number of answers unread. No method of HTTP/1.1 begins so. */
const HTTP_2 = "PRI ";

/** How long a connection stays open whose request was answered before it had come whole. */
const END_MS = 1_000;

/** The answer to a body that did not come in time. */
const REQUEST_TIMEOUT = 408;

export interface HttpConnectionOptions {
  readonly accepted: Deno.Conn;
  /** Connects to the server of Deno, which answers. */
  readonly connect: () => Promise<Deno.TcpConn>;
  readonly clock: Clock;
  readonly answer: Answer;
}

/** A connection of a client, relayed to one with the server of Deno. */
export class HttpConnection {
  /** Resolves once the connection has ended, by whichever side. */
  readonly finished: Promise<void>;
  readonly #options: HttpConnectionOptions;
  #inner?: Deno.TcpConn;
  #hasEnded = false;
  #since: number;
  #asked = 0;
  #unanswered = 0;
  #answering = 0;

  constructor(options: HttpConnectionOptions) {
    this.#options = options;
    this.#since = options.clock.monotonic();
    this.finished = this.#relay();
  }

  /**
   * The connection waits for its first request, for the next one, for our answer, or for its client to read that. Deno takes an
   * answer that is no stream for read at once: a client that reads none of it counts as idle.
   */
  get state(): "silent" | "idle" | "unanswered" | "answering" {
    if (this.#unanswered > 0) return "unanswered";
    if (this.#answering > 0) return "answering";
    return this.#asked > 0 ? "idle" : "silent";
  }

  /** When that state began, by the monotonic clock; while answering, when the last request came. */
  get since(): number {
    return this.#since;
  }

  /** The port by which the server of Deno knows this connection; undefined until it is relayed. */
  get innerPort(): number | undefined {
    return this.#inner?.localAddr.port;
  }

  /** Ends the connection, whatever is under way. Resolves once it has ended. */
  end(): Promise<void> {
    this.#hasEnded = true;
    closeQuietly(this.#options.accepted);
    if (this.#inner) closeQuietly(this.#inner);
    return this.finished;
  }

  /** Answers a request of this connection. `completed` settles once Deno has taken the whole answer. */
  async respond(request: Request, completed: Promise<void>): Promise<Response> {
    const { clock, answer } = this.#options;
    if (this.#asked >= MAX_REQUESTS) {
      this.end();
      return new Response(null, { status: 400 });
    }
    this.#asked++;
    this.#unanswered++;
    this.#answering++;
    this.#since = clock.monotonic();
    const done = () => {
      this.#answering--;
      this.#since = clock.monotonic();
    };
    completed.then(done, done);
    try {
      const response = await answer(request);
      if (this.#asked === MAX_REQUESTS) response.headers.set("connection", "close");
      if (response.status === REQUEST_TIMEOUT) completed.then(() => this.#endSoon(), () => {});
      return response;
    } finally {
      this.#unanswered--;
    }
  }

  async #relay(): Promise<void> {
    const { accepted, connect } = this.#options;
    try {
      const first = await readSome(accepted, HTTP_2.length);
      const isHttp2 = new TextDecoder().decode(first.subarray(0, HTTP_2.length)) === HTTP_2;
      if (first.length === 0 || isHttp2) return closeQuietly(accepted);
      const inner = await connect();
      this.#inner = inner;
      if (this.#hasEnded) return closeQuietly(inner);
      await relay(accepted, inner, first);
    } catch {
      closeQuietly(accepted);
    }
  }

  /** Deno would wait for the rest of a request that was answered before it had come whole. */
  #endSoon(): void {
    const timer = after(this.#options.clock, END_MS, () => this.end());
    this.finished.then(() => timer[Symbol.dispose]());
  }
}
