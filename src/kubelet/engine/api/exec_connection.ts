import { onAbort } from "../../../base/abort.ts";
import { concat } from "../../../kube/byte_source.ts";
import { ifPossible } from "../../files/disk.ts";
import { EngineError, type EngineName, faultOf, unreached } from "./engine_error.ts";

/** Where a request goes. */
export interface Target {
  /** Of the engine's socket. */
  readonly path: string;
  /** The path of the request, with its query. */
  readonly target: string;
  /** Aborted when the answer is not waited for any more. */
  readonly signal: AbortSignal;
}

/** Has the connection carry the streams of a command, once the engine has answered. `fetch` cannot. */
export const UPGRADE = ["connection: Upgrade", "upgrade: tcp"];

/** A connection for one POST whose body has a length. */
export class ExecConnection implements Disposable {
  readonly #connection: Deno.UnixConn;
  /** The bytes that came with the answer. */
  #rest: Uint8Array = new Uint8Array(0);

  private constructor(connection: Deno.UnixConn) {
    this.#connection = connection;
  }

  /** @throws {EngineError} if the engine refuses */
  static async open(engine: EngineName, { path, target, signal }: Target, body: object, headers: string[] = []) {
    let opened: ExecConnection | undefined;
    using _leaving = onAbort(signal, () => opened?.[Symbol.dispose]());
    try {
      opened = new ExecConnection(await Deno.connect({ transport: "unix", path }));
      signal.throwIfAborted();
      await opened.#ask(target, JSON.stringify(body), headers);
      const status = await opened.#status(engine);
      if (status < 400) return opened;
      const pieces = await Array.fromAsync(opened.pieces());
      throw faultOf(engine, status, new TextDecoder().decode(concat(pieces)));
    } catch (error) {
      opened?.[Symbol.dispose]();
      throw error instanceof EngineError ? error : unreached(engine, error as Error);
    }
  }

  /** Reads what comes, until the connection ends. */
  async *pieces(): AsyncGenerator<Uint8Array> {
    if (this.#rest.length > 0) yield this.#rest;
    for (let piece = await this.#receive(); piece; piece = await this.#receive()) yield piece;
  }

  async write(bytes: Uint8Array): Promise<void> {
    for (let written = 0; written < bytes.length;) written += await this.#connection.write(bytes.subarray(written));
  }

  /** Ends what is sent. */
  async closeWrite(): Promise<void> {
    await this.#connection.closeWrite();
  }

  [Symbol.dispose](): void {
    // It may be closed already.
    ifPossible(() => this.#connection.close());
  }

  async #ask(target: string, body: string, headers: string[]): Promise<void> {
    const content = new TextEncoder().encode(body);
    const lines = [
      // The end of such an answer's body is that of the connection.
      `POST ${target} HTTP/1.0`,
      "host: engine",
      ...headers,
      "content-type: application/json",
      `content-length: ${content.length}`,
    ];
    await this.write(concat([new TextEncoder().encode(`${lines.join("\r\n")}\r\n\r\n`), content]));
  }

  /** Resolves with the answer's status once its head is there. */
  async #status(engine: EngineName): Promise<number> {
    for (;;) {
      // A character a byte.
      const text = new TextDecoder("latin1").decode(this.#rest);
      const end = text.indexOf("\r\n\r\n");
      if (end >= 0) {
        this.#rest = this.#rest.subarray(end + 4);
        return Number(text.split(" ")[1]);
      }
      const piece = await this.#receive();
      if (!piece) throw new EngineError(`${engine} ended the connection without an answer`);
      this.#rest = concat([this.#rest, piece]);
    }
  }

  async #receive(): Promise<Uint8Array | undefined> {
    const buffer = new Uint8Array(32 * 1024);
    const length = await this.#connection.read(buffer);
    return length === null ? undefined : buffer.subarray(0, length);
  }
}
