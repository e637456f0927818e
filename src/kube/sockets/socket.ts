import type { Answer } from "./answer.ts";
import { AnswerParser, type ParsedAnswer } from "./answer_parser.ts";

/** Where a connection leads to. */
export interface Target {
  readonly url: URL;
  /** PEM, in addition to the machine's own trust store. */
  readonly caCertificates?: readonly string[] | undefined;
}

/**
 * One connection of HTTP/1.1, which carries one request at a time. It always waits for bytes, between requests too: so a
 * server that closes it is noticed at once.
 */
export class Socket {
  readonly #connection: Deno.Conn;
  readonly #parser = new AnswerParser();
  #asked: PromiseWithResolvers<Answer> | undefined;
  #isWriting = false;
  #isOpen = true;

  private constructor(connection: Deno.Conn) {
    this.#connection = connection;
    this.#read();
  }

  static async open({ url, caCertificates }: Target): Promise<Socket> {
    const isSecure = url.protocol === "https:";
    const hostname = url.hostname.replace(/^\[|\]$/g, "");
    const plain = await Deno.connect({ hostname, port: Number(url.port) || (isSecure ? 443 : 80) });
    let connection: Deno.Conn = plain;
    try {
      // Bytes that do not fill a segment leave at once.
      plain.setNoDelay(true);
      if (isSecure) {
        const caCerts = [...caCertificates ?? []];
        const secure = await Deno.startTls(plain, { hostname, caCerts, alpnProtocols: ["http/1.1"] });
        connection = secure;
        await secure.handshake();
      }
      return new Socket(connection);
    } catch (error) {
      close(connection);
      throw error;
    }
  }

  /** Whether it takes another request. */
  get isFree(): boolean {
    return this.#isOpen && this.#asked === undefined;
  }

  /** Sends a request, and resolves with its answer. */
  ask(request: Uint8Array): Promise<Answer> {
    const asked = this.#asked = Promise.withResolvers<Answer>();
    this.#write(request).catch((error) => this.#fail(error));
    return asked.promise;
  }

  /** Closes the connection at once: a request that is under way fails. */
  close(): void {
    this.#fail(new Error("the connection was closed"));
  }

  async #write(bytes: Uint8Array): Promise<void> {
    this.#isWriting = true;
    let written = await this.#connection.write(bytes);
    while (written < bytes.length) written += await this.#connection.write(bytes.subarray(written));
    this.#isWriting = false;
  }

  async #read(): Promise<void> {
    try {
      while (this.#isOpen) {
        const count = await this.#connection.read(this.#parser.room());
        if (!this.#isOpen) return;
        if (!this.#asked) return this.close();
        const parsed = count === null ? this.#parser.ended() : this.#parser.received(count);
        if (parsed) this.#answer(parsed);
        else if (count === null) throw new Error("connection closed before message completed");
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  #answer({ answer, keepsOpen }: ParsedAnswer): void {
    const asked = this.#asked!;
    this.#asked = undefined;
    // A server may answer what it has not read to its end: nothing can follow that.
    if (!keepsOpen || this.#isWriting) this.close();
    asked.resolve(answer);
  }

  #fail(error: unknown): void {
    this.#asked?.reject(error);
    this.#asked = undefined;
    if (!this.#isOpen) return;
    this.#isOpen = false;
    close(this.#connection);
  }
}

function close(connection: Deno.Conn): void {
  try {
    connection.close();
  } catch {
    // It is closed already.
  }
}
