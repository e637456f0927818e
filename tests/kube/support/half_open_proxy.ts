/** A TCP proxy that can forget its connections as a NAT gateway does: they stay open, and nothing comes through any more. */
export class HalfOpenProxy implements Disposable {
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #target: number;
  readonly #open = new Set<Deno.Conn>();
  readonly #ended: Promise<void>;
  #generation = 0;
  /** How many connections it took. */
  connections = 0;

  constructor(target: string) {
    this.#target = Number(new URL(target).port);
    this.#ended = this.#accept();
  }

  get url(): string {
    return `http://127.0.0.1:${this.#listener.addr.port}`;
  }

  /** From now on nothing comes through the connections that are open; new ones work. */
  forget(): void {
    this.#generation++;
  }

  [Symbol.dispose](): void {
    this.#listener.close();
    for (const connection of this.#open) connection.close();
    this.#open.clear();
  }

  /** Resolves when nothing is under way any more. */
  async ended(): Promise<void> {
    await this.#ended;
  }

  async #accept(): Promise<void> {
    const copies: Promise<void>[] = [];
    try {
      for await (const client of this.#listener) {
        this.connections++;
        const server = await Deno.connect({ hostname: "127.0.0.1", port: this.#target });
        this.#open.add(client).add(server);
        copies.push(this.#copy(client, server), this.#copy(server, client));
      }
    } finally {
      await Promise.all(copies);
    }
  }

  async #copy(from: Deno.Conn, to: Deno.Conn): Promise<void> {
    const generation = this.#generation;
    const bytes = new Uint8Array(65_536);
    try {
      for (;;) {
        const length = await from.read(bytes);
        if (length === null) break;
        if (generation !== this.#generation) continue;
        for (let sent = 0; sent < length;) sent += await to.write(bytes.subarray(sent, length));
      }
    } catch {
      // It was closed from one side.
    }
    if (generation !== this.#generation) return;
    for (const connection of [from, to]) if (this.#open.delete(connection)) connection.close();
  }
}
