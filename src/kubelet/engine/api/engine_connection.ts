import { concat } from "../../../kube/byte_source.ts";
import { type Head, headOf } from "../../../kube/sockets/answer_head.ts";
import { chunkSize } from "../../../kube/sockets/answer_parser.ts";
import { messageOf } from "../../../telemetry/message_of.ts";
import { EngineError, type EngineName } from "./engine_error.ts";

/** Of a head, or of the line before a chunk. */
const MAX_LINE_BYTES = 64 * 1024;

const SWITCHED = 101;

const PIECE_BYTES = 32 * 1024;

const encoder = new TextEncoder();

/** A request as it is sent. */
export interface SentRequest {
  readonly method: string;
  /** The path with its query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** An engine's answer, whose body is read once. */
export interface EngineAnswer extends Pick<Head, "status" | "headers"> {
  /** @throws {EngineError} if the connection ends before it does */
  readonly body: AsyncIterable<Uint8Array>;
}

/**
 * A connection to an engine that carries one request. Deno's `fetch` sends a request again, a POST too, when its connection
 * ends unanswered; here it never is. All its errors are {@linkcode EngineError}s without a status.
 */
export class EngineConnection implements Disposable {
  readonly #engine: EngineName;
  readonly #connection: Deno.UnixConn;
  /** The bytes that were received and not yet read. */
  #rest: Uint8Array;
  #isMoved = false;

  private constructor(engine: EngineName, connection: Deno.UnixConn, rest: Uint8Array = new Uint8Array(0)) {
    this.#engine = engine;
    this.#connection = connection;
    this.#rest = rest;
  }

  static async open(engine: EngineName, path: string): Promise<EngineConnection> {
    return new EngineConnection(engine, await reached(engine, Deno.connect({ transport: "unix", path })));
  }

  async ask({ method, target, headers, body }: SentRequest): Promise<EngineAnswer> {
    const all = { host: "engine", connection: "close", ...headers, "content-length": String(body.length) };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    const head = encoder.encode(`${method} ${target} HTTP/1.1\r\n${lines.join("")}\r\n`);
    await this.write(concat([head, body]));
    const answer = await this.#head();
    return { status: answer.status, headers: answer.headers, body: this.#body(answer) };
  }

  /** Reads what comes, until the connection ends. */
  async *pieces(): AsyncGenerator<Uint8Array> {
    for (let piece: Uint8Array | undefined = this.#rest; piece; piece = await this.#receive()) yield piece;
  }

  async write(bytes: Uint8Array): Promise<void> {
    for (let written = 0; written < bytes.length;) {
      written += await reached(this.#engine, this.#connection.write(bytes.subarray(written)));
    }
  }

  /** Ends what is sent. */
  async closeWrite(): Promise<void> {
    await reached(this.#engine, this.#connection.closeWrite());
  }

  /** Returns the same connection, which stays open when this is disposed of. */
  move(): EngineConnection {
    const moved = new EngineConnection(this.#engine, this.#connection, this.#rest);
    this.#isMoved = true;
    return moved;
  }

  [Symbol.dispose](): void {
    if (this.#isMoved) return;
    try {
      this.#connection.close();
    } catch {
      // It is closed already.
    }
  }

  /** Passes over those that say that more is to come. */
  async #head(): Promise<Head> {
    for (;;) {
      const text = await this.#until("\r\n\r\n");
      const head = this.#parsed(() => headOf(text));
      if (head.status >= 200 || head.status === SWITCHED) return head;
    }
  }

  async *#body({ framing }: Head): AsyncGenerator<Uint8Array> {
    if (framing.kind === "untilEnd") return yield* this.pieces();
    if (framing.kind === "length") return yield* this.#take(framing.bytes);
    for (;;) {
      const line = await this.#until("\r\n");
      const size = this.#parsed(() => chunkSize(line));
      if (size === 0) return;
      yield* this.#take(size);
      await this.#until("\r\n");
    }
  }

  async *#take(bytes: number): AsyncGenerator<Uint8Array> {
    for (let lacking = bytes; lacking > 0;) {
      const piece = this.#rest.length > 0 ? this.#rest : await this.#more();
      const wanted = piece.subarray(0, lacking);
      this.#rest = piece.subarray(wanted.length);
      lacking -= wanted.length;
      yield wanted;
    }
  }

  /** Resolves with the text before `end`, and passes over both. */
  async #until(end: string): Promise<string> {
    for (;;) {
      const bytes = this.#rest;
      // A character a byte.
      const text = new TextDecoder("latin1").decode(bytes.subarray(0, MAX_LINE_BYTES + end.length));
      const at = text.indexOf(end);
      if (at >= 0) {
        this.#rest = bytes.subarray(at + end.length);
        return text.slice(0, at);
      }
      if (bytes.length > MAX_LINE_BYTES) throw new EngineError(`${this.#engine}'s answer has a head without an end`);
      this.#rest = concat([bytes, await this.#more()]);
    }
  }

  async #more(): Promise<Uint8Array> {
    const piece = await this.#receive();
    if (piece) return piece;
    throw new EngineError(`${this.#engine} ended the connection without a whole answer`);
  }

  async #receive(): Promise<Uint8Array | undefined> {
    const buffer = new Uint8Array(PIECE_BYTES);
    const length = await reached(this.#engine, this.#connection.read(buffer));
    return length === null ? undefined : buffer.subarray(0, length);
  }

  #parsed<T>(parse: () => T): T {
    try {
      return parse();
    } catch (error) {
      throw new EngineError(`Cannot read ${this.#engine}'s answer: ${messageOf(error)}`, { cause: error });
    }
  }
}

async function reached<T>(engine: EngineName, part: Promise<T>): Promise<T> {
  return await part.catch((error) => {
    throw new EngineError(`Cannot reach ${engine}: ${messageOf(error)}`, { cause: error });
  });
}
