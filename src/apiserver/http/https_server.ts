import { concat } from "../../kube/byte_source.ts";
import type { Clock } from "../../base/clock.ts";
import { LastingServer } from "../../telemetry/lasting_server.ts";
import { loggerFor } from "../../telemetry/logging.ts";
import { messageOf } from "../../telemetry/message_of.ts";
import { ServerError } from "../errors.ts";
import type { Authenticator } from "../security/authentication.ts";
import type { Identity } from "../security/certificate_maker.ts";
import { badRequest, Refusal } from "../refusals.ts";
import type { Answer, ApiRequest, Sink, Upgrade } from "./exchange.ts";
import { checkOrigin } from "./origin.ts";
import { headersOf, refusalAnswer } from "./responses.ts";

const log = loggerFor("apiserver", "http");

/** Over HTTP/1.1, Deno 2.9 sends the head of an answer with a longer body by itself, which a client takes late. */
const SENT_AT_ONCE_BYTES = 256;

/** Larger bodies are refused, as kube-apiserver does. */
const MAX_BODY_BYTES = 3 * 1024 * 1024;

export interface HttpsServerOptions extends Identity {
  /** 0: any that is free. */
  readonly port: number;
  readonly clock: Pick<Clock, "sleep">;
  readonly authenticator: Authenticator;
  readonly handle: (request: ApiRequest) => Promise<Answer>;
}

/** HTTPS on the loopback interface. Knows who asks and how large a request may be; what is asked is the handler's. */
export class HttpsServer {
  readonly port: number;
  readonly #options: HttpsServerOptions;
  readonly #sinks = new Set<StreamSink>();
  readonly #sockets = new Set<WebSocket>();
  readonly #server: LastingServer;
  #identity: Identity;

  /** @throws {ServerError} when the port is taken */
  constructor(options: HttpsServerOptions) {
    this.#options = options;
    this.#identity = options;
    this.#server = new LastingServer({
      clock: options.clock,
      listen: (signal, port = options.port) => this.#listen(signal, port),
      onFailure: (error) => log.warn("Cannot accept connections, ending all and listening again: {error}", { error }),
      onEnd: () => {
        for (const sink of this.#sinks) sink.destroy();
        for (const socket of this.#sockets) socket.close();
      },
    });
    this.port = this.#server.port;
  }

  /** Listens with another certificate. All connections end, watches included; their clients come back. */
  async renew(certificate: Identity): Promise<void> {
    this.#identity = certificate;
    await this.#server.restart();
  }

  /** Ends every connection, watches included. */
  async close(): Promise<void> {
    await this.#server.close();
  }

  #listen(signal: AbortSignal, port: number): Deno.HttpServer<Deno.NetAddr> {
    const { certificate, privateKey } = this.#identity;
    try {
      return Deno.serve({
        hostname: "127.0.0.1",
        port,
        cert: certificate,
        key: privateKey,
        signal,
        onListen: () => {},
        onError: (error) => {
          // Watches that end with the server have their end here too.
          if (!signal.aborted) log.error("Cannot answer a request: {error}", { error });
          return new Response(null, { status: 500 });
        },
      }, (request) => this.#serve(request));
    } catch (error) {
      const why = error instanceof Deno.errors.AddrInUse
        ? "the port is in use by another program; choose another with --port, or 0 for any that is free"
        : messageOf(error);
      throw new ServerError(`Cannot listen on 127.0.0.1:${port}: ${why}`, { cause: error });
    }
  }

  async #serve(request: Request): Promise<Response> {
    const { authenticator, handle } = this.#options;
    const header = (name: string) => request.headers.get(name) ?? undefined;
    const warnings: string[] = [];
    let answer: Answer;
    try {
      checkOrigin({ host: header("host"), origin: header("origin") });
      const user = authenticator.authenticate(header("authorization"));
      answer = await handle({ ...requestOf(request), user, warnings });
      if (answer.upgrade) return this.#upgrade(request, answer.upgrade);
    } catch (error) {
      answer = refusalAnswer(error, request, header("accept"));
    }
    // HTTP/2 has another way to say the host.
    return this.#respond(answer, warnings, header("host") !== undefined);
  }

  #upgrade(request: Request, { protocol, serve }: Upgrade): Response {
    let upgraded: Deno.WebSocketUpgrade;
    try {
      // No pings: a client whose output is not read, as in a pager, reads none of them, and would be cut off.
      upgraded = Deno.upgradeWebSocket(request, { protocol, idleTimeout: 0 });
    } catch (error) {
      throw badRequest(`unable to upgrade: ${messageOf(error)}`);
    }
    const { socket, response } = upgraded;
    this.#sockets.add(socket);
    socket.addEventListener("close", () => this.#sockets.delete(socket));
    serve(socket, this.#server.signal);
    return response;
  }

  #respond(answer: Answer, warnings: readonly string[], isHttp1: boolean): Response {
    const init = { status: answer.code, headers: headersOf(answer, warnings) };
    if (!answer.stream) return new Response(bodyOf(answer, isHttp1), init);
    const sink = new StreamSink();
    this.#sinks.add(sink);
    sink.onClose(() => this.#sinks.delete(sink));
    answer.stream(sink);
    // Over a connection that is still open, a client may ask again for the watch that has just been ended.
    if (this.#server.signal.aborted) sink.destroy();
    return new Response(sink.readable, init);
  }
}

function bodyOf({ body }: Answer, isHttp1: boolean): BodyInit | undefined {
  if (!isHttp1 || body === undefined || body.length < SENT_AT_ONCE_BYTES) return body as BodyInit | undefined;
  return ReadableStream.from([typeof body === "string" ? new TextEncoder().encode(body) : body]);
}

function requestOf(request: Request): Omit<ApiRequest, "user" | "warnings"> {
  // The parser of URLs would tidy up the path. A client may have named another scheme.
  const [, authority, path = "", query] = /^(?:[a-z][a-z0-9+.-]*:\/\/([^/?]*))?([^?]*)\??(.*)$/is.exec(request.url)!;
  return {
    method: request.method,
    path: decodePath(path),
    query: new URLSearchParams(query),
    // HTTP/2 says the host in the URL alone.
    header: (name) => request.headers.get(name) ?? (name === "host" ? authority : undefined),
    body: () => wholeBody(request),
  };
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw badRequest(`the path ${path} is not properly escaped`);
  }
}

async function wholeBody({ headers, body }: Request): Promise<Uint8Array> {
  if (Number(headers.get("content-length") ?? 0) > MAX_BODY_BYTES) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw tooLarge();
    chunks.push(chunk);
  }
  return concat(chunks);
}

function tooLarge(): Refusal {
  return new Refusal(413, "RequestEntityTooLarge", `Request entity too large: limit is ${MAX_BODY_BYTES}`);
}

/** Written chunks wait here until the client takes them. */
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
