import { arrivalsRead, type Clock } from "../../base/clock.ts";
import { concat } from "../byte_source.ts";
import type { Answer } from "./answer.ts";
import type { Openings, Until } from "./openings.ts";
import type { Socket, Target } from "./socket.ts";

/** A request whose answer is short. */
export interface WriteRequest {
  readonly method: string;
  /** With the query, without what the server's URL has before it. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** Is asked when there is a connection, immediately before the request leaves. */
  readonly departure: { leaves(): void };
}

export interface SocketPoolOptions extends Target {
  readonly clock: Clock;
  readonly openings: Openings;
}

/**
 * Long enough for what is due each minute. API servers keep an idle connection for 90 s; where something on the way closes it
 * earlier, that is noticed before it is used again.
 */
const IDLE_MS = 70_000;

/** No server closes a connection that it has used within this time. */
const FRESH_MS = 1_000;

/** Connections that are opened ahead must not look like an attack to a server that has many clients. */
const OPENED_AT_A_TIME = 8;

const encoder = new TextEncoder();

/** The connections for writes: as many as there are under way at a time, each used again while it is young. */
export class SocketPool {
  readonly #options: SocketPoolOptions;
  /** The one used last is the last. */
  readonly #idle: { readonly socket: Socket; readonly since: number }[] = [];
  readonly #closed = new AbortController();
  /** The part of the server's URL before each path. */
  readonly #prefix: string;
  #isSweeping = false;
  #isPreparing = false;
  #reading: Promise<void> | undefined;
  #latestHeaders: { readonly of: WriteRequest["headers"]; readonly lines: string } | undefined;

  constructor(options: SocketPoolOptions) {
    this.#options = options;
    this.#prefix = options.url.pathname.replace(/\/+$/, "");
  }

  /**
   * Sends a request, once. Where `until` rejects, the connection is closed too.
   *
   * @throws {NotConnectedError}
   */
  async send(request: WriteRequest, until: Until): Promise<Answer> {
    const bytes = this.#bytesOf(request);
    const socket = await this.#takeIdle(until) ?? await this.#open(until);
    try {
      request.departure.leaves();
    } catch (error) {
      this.#giveBack(socket);
      throw error;
    }
    try {
      const answer = await until(socket.ask(bytes));
      this.#giveBack(socket);
      return answer;
    } catch (error) {
      socket.close();
      throw error;
    }
  }

  /**
   * Opens as many connections as are missing to have so many idle, a few at a time. A handshake costs as much as a request,
   * and is better had before a burst than in it.
   */
  async prepare(count: number): Promise<void> {
    if (this.#isPreparing) return;
    this.#isPreparing = true;
    try {
      for (let missing = count - this.#idle.length; missing > 0; missing -= OPENED_AT_A_TIME) {
        if (this.#closed.signal.aborted) return;
        const openings = Array.from({ length: Math.min(OPENED_AT_A_TIME, missing) }, () => this.#open());
        for (const socket of await Promise.all(openings)) this.#giveBack(socket);
      }
    } catch {
      // The requests will find out why.
    } finally {
      this.#isPreparing = false;
    }
  }

  /** Closes what is idle. Requests under way go on. */
  close(): void {
    this.#closed.abort();
    for (const { socket } of this.#idle) socket.close();
    this.#idle.length = 0;
  }

  #open(until: Until = (part) => part): Promise<Socket> {
    return this.#options.openings.open(this.#options, until);
  }

  async #takeIdle(until: Until): Promise<Socket | undefined> {
    const youngest = this.#idle.at(-1);
    // Bytes that arrived while the program was busy are read first: the server may have closed the connection.
    if (youngest && this.#options.clock.monotonic() - youngest.since > FRESH_MS) await until(this.#arrivalsRead());
    for (let idle = this.#idle.pop(); idle; idle = this.#idle.pop()) {
      if (idle.socket.isFree) return idle.socket;
    }
    return undefined;
  }

  /** One wait serves all that begin during it. */
  #arrivalsRead(): Promise<void> {
    return this.#reading ??= arrivalsRead().then(() => this.#reading = undefined);
  }

  #giveBack(socket: Socket): void {
    if (!socket.isFree) return;
    if (this.#closed.signal.aborted) return socket.close();
    this.#idle.push({ socket, since: this.#options.clock.monotonic() });
    if (!this.#isSweeping) this.#sweep();
  }

  /** Closes those that have been idle for long. Runs only while there are some. */
  async #sweep(): Promise<void> {
    const { clock } = this.#options;
    this.#isSweeping = true;
    try {
      for (let first = this.#idle[0]; first; first = this.#idle[0]) {
        await clock.sleep(Math.max(1, first.since + IDLE_MS - clock.monotonic()), this.#closed.signal);
        const keptSince = clock.monotonic() - IDLE_MS;
        while (this.#idle[0] && this.#idle[0].since <= keptSince) this.#idle.shift()!.socket.close();
      }
    } catch {
      // All were closed.
    } finally {
      this.#isSweeping = false;
    }
  }

  #bytesOf({ method, path, headers, body = "" }: WriteRequest): Uint8Array {
    const content = encoder.encode(body);
    const head = encoder.encode(
      `${method} ${this.#checked(this.#prefix + path)} HTTP/1.1\r\n${
        this.#linesOf(headers)
      }content-length: ${content.length}\r\n\r\n`,
    );
    return concat([head, content]);
  }

  #checked(path: string): string {
    if (/[^\x21-\x7e]/.test(path)) throw new TypeError(`Cannot ask for '${path}': a path has only printable ASCII`);
    return path;
  }

  /** In a burst the same ones serve all requests. */
  #linesOf(headers: WriteRequest["headers"]): string {
    if (this.#latestHeaders?.of === headers) return this.#latestHeaders.lines;
    let lines = `host: ${this.#options.url.host}\r\n`;
    for (const [name, untrimmed] of Object.entries(headers)) {
      const value = untrimmed.trim();
      // Not the value, which may be a token.
      if (/[\r\n\0]/.test(value)) throw new TypeError(`Cannot send header '${name}': its value has a line break`);
      lines += `${name}: ${value}\r\n`;
    }
    this.#latestHeaders = { of: headers, lines };
    return lines;
  }
}
