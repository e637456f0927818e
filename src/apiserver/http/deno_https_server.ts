import { loggerFor } from "../../telemetry/logging.ts";
import type { User } from "../security/authentication.ts";
import type { Answer, ApiRequest, Sink } from "./exchange.ts";
import { checkOrigin, concat, headersOf, MAX_BODY_BYTES, refusalAnswer, splitUrl, tooLarge } from "./gate.ts";
import { cannotListen, type HttpsServer, type HttpsServerOptions } from "./https_server.ts";

const log = loggerFor("apiserver", "http");

const NO_TRANSFORM: [string, string] = ["cache-control", "no-cache, private, no-transform"];

/** On `Deno.serve`. */
export class DenoHttpsServer implements HttpsServer {
  readonly port: number;
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #stop = new AbortController();
  readonly #sinks = new Set<StreamSink>();

  private constructor(options: HttpsServerOptions) {
    this.#server = Deno.serve({
      hostname: "127.0.0.1",
      port: options.port,
      cert: options.certificate,
      key: options.privateKey,
      signal: this.#stop.signal,
      onListen: () => {},
      onError: (error) => {
        log.error("Cannot answer a request: {error}", { error });
        return new Response(null, { status: 500 });
      },
    }, (request) => this.#serve(request, options));
    this.port = this.#server.addr.port;
  }

  static listen(options: HttpsServerOptions): DenoHttpsServer {
    try {
      return new DenoHttpsServer(options);
    } catch (error) {
      throw cannotListen(options.port, error, error instanceof Deno.errors.AddrInUse);
    }
  }

  renew(): boolean {
    return false;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    for (const sink of this.#sinks) sink.destroy();
    await this.#server.finished;
  }

  async #serve(request: Request, { authenticator, handle }: HttpsServerOptions): Promise<Response> {
    let answer: Answer;
    try {
      checkOrigin({
        host: request.headers.get("host") ?? undefined,
        origin: request.headers.get("origin") ?? undefined,
      });
      const user = authenticator.authenticate(request.headers.get("authorization") ?? undefined);
      answer = await handle(new FetchRequest(request, user));
    } catch (error) {
      answer = refusalAnswer(error, request, request.headers.get("accept") ?? undefined);
    }
    return this.#respond(answer);
  }

  #respond(answer: Answer): Response {
    // Deno would compress what it can, which takes longer than the way over loopback.
    const init = { status: answer.code, headers: [...headersOf(answer), NO_TRANSFORM] };
    if (!answer.stream) return new Response(answer.body as BodyInit | undefined, init);
    const sink = new StreamSink();
    this.#sinks.add(sink);
    sink.onClose(() => this.#sinks.delete(sink));
    answer.stream(sink);
    // Over a connection that is still open, a client may ask again for the watch that close() has just ended.
    if (this.#stop.signal.aborted) sink.destroy();
    return new Response(sink.readable, init);
  }
}

class FetchRequest implements ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly user: User;
  readonly #request: Request;

  constructor(request: Request, user: User) {
    // `https://host/path?query`, of which the parser of URLs would tidy up the path.
    const url = request.url;
    ({ path: this.path, query: this.query } = splitUrl(url.slice(url.indexOf("/", "https://".length))));
    this.method = request.method;
    this.user = user;
    this.#request = request;
  }

  header(name: string): string | undefined {
    return this.#request.headers.get(name) ?? undefined;
  }

  get signal(): AbortSignal {
    return this.#request.signal;
  }

  async body(): Promise<Uint8Array> {
    if (Number(this.#request.headers.get("content-length") ?? 0) > MAX_BODY_BYTES) throw tooLarge();
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of this.#request.body ?? []) {
      size += chunk.length;
      if (size > MAX_BODY_BYTES) throw tooLarge();
      chunks.push(chunk);
    }
    return concat(chunks, size);
  }
}

/** What is written waits here until the client takes it. */
class StreamSink implements Sink {
  readonly readable: ReadableStream<Uint8Array<ArrayBuffer>>;
  #controller!: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;
  #over = false;
  readonly #closed = Promise.withResolvers<void>();
  readonly #drained = new Set<() => void>();

  constructor() {
    this.readable = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (controller) => void (this.#controller = controller),
      pull: () => {
        for (const callback of this.#drained) callback();
      },
      cancel: () => this.#finish(),
    }, new ByteLengthQueuingStrategy({ highWaterMark: 1 }));
  }

  write(chunk: Uint8Array | string): void {
    if (this.#over) return;
    // A copy: what is enqueued is the stream's own from then on (Deno 2.7 detaches it), and others are sent the same.
    this.#controller.enqueue(typeof chunk === "string" ? new TextEncoder().encode(chunk) : new Uint8Array(chunk));
  }

  get waitingBytes(): number {
    return this.#over ? 0 : Math.max(0, 1 - (this.#controller.desiredSize ?? 1));
  }

  end(): void {
    if (this.#over) return;
    this.#controller.close();
    this.#finish();
  }

  destroy(): void {
    if (!this.#over) this.#controller.error(new Error("the server ended the connection"));
    this.#finish();
  }

  onClose(callback: () => void): void {
    this.#closed.promise.then(callback);
  }

  onDrain(callback: () => void): void {
    this.#drained.add(callback);
  }

  #finish(): void {
    this.#over = true;
    this.#closed.resolve();
  }
}
