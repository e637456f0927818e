import { must } from "../../support/expected.ts";
import type { KubeObject } from "../../../src/kube/object.ts";
import { apiVersionOf, type Resource } from "../../../src/kube/resource.ts";
import type { Pair } from "./certificates.ts";

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly query: Record<string, string>;
  readonly headers: Headers;
  readonly body: string;
}

export type Answer = (request: Received) => Response | Promise<Response>;

/** A server that answers just what a test asks for: for what a well-behaved API server will not do on demand. */
export class ScriptedServer implements AsyncDisposable {
  readonly requests: Received[] = [];
  readonly url: string;
  readonly #answers = new Map<string, Answer[]>();
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #feeds = new Set<Feed>();

  constructor(tls?: Pair, { port = 0 }: { port?: number } = {}) {
    const listen = { hostname: "127.0.0.1", port, onListen() {} };
    const handle = (request: Request) => this.#handle(request);
    this.#server = tls
      ? Deno.serve({ ...listen, cert: tls.certificate, key: tls.key }, handle)
      : Deno.serve(listen, handle);
    this.url = `${tls ? "https" : "http"}://127.0.0.1:${this.#server.addr.port}`;
  }

  /** Answers for `GET /path`, one after the other; the last one repeats. */
  on(what: string, ...answers: Answer[]): this {
    this.#answers.set(what, answers);
    return this;
  }

  /** A body that the test writes bit by bit. */
  feed(): Feed {
    const feed = new Feed();
    this.#feeds.add(feed);
    return feed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const feed of this.#feeds) feed.end();
    await this.#server.shutdown();
  }

  async #handle(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const received = {
      method: request.method,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: request.headers,
      body: await request.text(),
    };
    this.requests.push(received);
    const answers = this.#answers.get(`${request.method} ${url.pathname}`);
    if (!answers) return refusal(404, "NotFound", `no answer for ${request.method} ${url.pathname}`)(received);
    return await must(answers.length > 1 ? answers.shift() : answers[0])(received);
  }
}

/** A body under the test's control. */
export class Feed {
  readonly #controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;
  readonly #cancelled = Promise.withResolvers<void>();
  readonly #body: ReadableStream<Uint8Array<ArrayBuffer>>;
  #over = false;

  constructor() {
    let controller!: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;
    this.#body = new ReadableStream({
      start: (given) => void (controller = given),
      cancel: () => {
        this.#over = true;
        this.#cancelled.resolve();
      },
    });
    this.#controller = controller;
  }

  /** Resolves when the client has gone away. */
  get cancelled(): Promise<void> {
    return this.#cancelled.promise;
  }

  readonly answer: Answer = () => new Response(this.#body, { headers: { "content-type": "application/json" } });

  send(text: string): void {
    this.#controller.enqueue(new TextEncoder().encode(text));
  }

  event(type: string, object: unknown): void {
    this.send(JSON.stringify({ type, object }) + "\n");
  }

  end(): void {
    if (this.#over) return;
    this.#over = true;
    this.#controller.close();
  }

  /** Breaks the connection in the middle of the body. */
  tear(): void {
    this.#over = true;
    this.#controller.error();
  }
}

export function json(body: unknown, init?: ResponseInit): Answer {
  return () => Response.json(body, init);
}

/** An object that a server has stored, as far as a client looks at it. */
export function stored<T extends KubeObject>(resource: Resource<T>, name = "a", namespace = "default"): KubeObject {
  const metadata = { name, uid: name, resourceVersion: "1", creationTimestamp: "2026-01-01T00:00:00Z" };
  return {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    metadata: resource.namespaced ? { ...metadata, namespace } : metadata,
  };
}

/** A page of a list. */
export function page(resource: Resource, items: readonly KubeObject[] = [], metadata: object = {}): Answer {
  return json({ kind: `${resource.kind}List`, metadata: { resourceVersion: "5", ...metadata }, items });
}

/** A `Status` of failure. */
export function refusal(code: number, reason: string, message: string, headers: Record<string, string> = {}): Answer {
  const status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, reason, code };
  return () => Response.json(status, { status: code, headers });
}
