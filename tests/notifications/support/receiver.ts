import { serve } from "../../support/serve.ts";

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
  readonly #server = serve(async (request) => {
    const { pathname, search } = new URL(request.url);
    const received = { path: pathname + search, headers: request.headers, body: await request.text() };
    this.received.push(received);
    return await this.answer(received);
  });

  get url(): URL {
    return new URL(this.#server.url);
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#server[Symbol.asyncDispose]();
  }
}
