const encoder = new TextEncoder();

/** Answers each request with a beginning, and then with the same piece without end. */
export class EndlessServer implements AsyncDisposable {
  readonly url: string;
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #serving: Promise<void>;
  /** Bytes that the client took before it closed its connection; one number for each. */
  readonly taken: number[] = [];

  constructor(beginning: string, piece: string) {
    this.url = `http://127.0.0.1:${this.#listener.addr.port}`;
    this.#serving = this.#serve(
      encoder.encode(beginning),
      encoder.encode(piece.repeat(Math.ceil(32_768 / piece.length))),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    await this.#serving;
  }

  async #serve(beginning: Uint8Array, piece: Uint8Array): Promise<void> {
    try {
      for await (const connection of this.#listener) await this.#answer(connection, beginning, piece);
    } catch {
      // The listener was closed.
    }
  }

  async #answer(connection: Deno.Conn, beginning: Uint8Array, piece: Uint8Array): Promise<void> {
    using _ = connection;
    let taken = 0;
    try {
      if (await connection.read(new Uint8Array(65_536)) === null) return;
      taken += await connection.write(beginning);
      for (let at = 0;; at %= piece.length) {
        const count = await connection.write(piece.subarray(at));
        at += count;
        taken += count;
      }
    } catch {
      this.taken.push(taken);
    }
  }
}
