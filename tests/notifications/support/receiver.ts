/** A request that a receiver got. */
export interface Received {
  readonly path: string;
  readonly headers: Headers;
  readonly body: string;
}

/** An HTTP server over a real socket that keeps what it gets. */
export class Receiver implements AsyncDisposable {
  readonly received: Received[] = [];
  /** What it answers. */
  answer: (request: Received) => Response | Promise<Response> = () => new Response("OK");
  readonly #server: Deno.HttpServer<Deno.NetAddr>;

  constructor() {
    this.#server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
      const { pathname, search } = new URL(request.url);
      const received = { path: pathname + search, headers: request.headers, body: await request.text() };
      this.received.push(received);
      return await this.answer(received);
    });
  }

  get url(): URL {
    return new URL(`http://127.0.0.1:${this.#server.addr.port}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }
}
