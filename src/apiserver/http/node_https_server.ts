import { Buffer } from "node:buffer";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { loggerFor } from "../../telemetry/logging.ts";
import { Refusal } from "../refusals.ts";
import type { User } from "../security/authentication.ts";
import type { Answer, ApiRequest, Sink } from "./exchange.ts";
import { checkOrigin, concat, headersOf, MAX_BODY_BYTES, refusalAnswer, splitUrl, tooLarge } from "./gate.ts";
import { cannotListen, type HttpsServer, type HttpsServerOptions } from "./https_server.ts";

const log = loggerFor("apiserver", "http");

/** On `node:https`: for runtimes whose `Deno.serve` delays larger HTTP/1.1 answers over TLS by 44 ms (Deno 2.9). */
export class NodeHttpsServer implements HttpsServer {
  readonly port: number;
  readonly #options: HttpsServerOptions;
  readonly #server: Server;
  readonly #responses = new Set<ServerResponse>();
  /** Also those that have sent no whole request yet, or not even a handshake. */
  readonly #sockets = new Set<Socket>();

  private constructor(options: HttpsServerOptions, server: Server) {
    this.#options = options;
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    server.on("request", (request, response) => void this.#serve(request, response));
    const maxConnections = options.maxConnections ?? connectionLimit();
    server.on("connection", (socket: Socket) => {
      // Once the system refuses to open another, Deno 2.9 accepts none ever again.
      if (this.#sockets.size >= maxConnections) return socket.destroy();
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
  }

  /** @throws {ServerError} when the port is taken */
  static async listen(options: HttpsServerOptions): Promise<NodeHttpsServer> {
    const server = createServer({ cert: options.certificate, key: options.privateKey, minVersion: "TLSv1.2" });
    await new Promise<void>((resolve, reject) => {
      server.once("error", (error: Error & { code?: string }) => {
        reject(cannotListen(options.port, error, error.code === "EADDRINUSE"));
      });
      server.listen(options.port, "127.0.0.1", resolve);
    });
    server.on("error", (error: Error) => log.warn("The HTTPS server has trouble: {error}", { error }));
    server.keepAliveTimeout = 0;
    return new NodeHttpsServer(options, server);
  }

  renew({ certificate, privateKey }: Pick<HttpsServerOptions, "certificate" | "privateKey">): boolean {
    this.#server.setSecureContext({ cert: certificate, key: privateKey });
    return true;
  }

  async close(): Promise<void> {
    // A client that lost its watch may come back at once: a handshake under way now ends after the connections below.
    this.#server.on("secureConnection", (socket) => socket.destroy());
    this.#server.on("request", (_, response) => response.destroy());
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const response of this.#responses) response.destroy();
    for (const socket of this.#sockets) socket.destroy();
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#responses.add(response);
    response.once("close", () => this.#responses.delete(response));
    response.on("error", () => {});
    request.on("error", () => {});
    let answer: Answer;
    try {
      answer = await this.#answer(request, response);
    } catch (error) {
      answer = refusalAnswer(error, request, request.headers.accept);
    }
    // A body that nobody read, of a request that was refused before, would stand in the way of the next one.
    if (answer.code !== 413) request.resume();
    try {
      send(request, response, answer);
    } catch (error) {
      log.error("Cannot answer a request: {error}", { path: request.url?.split("?")[0], error });
      response.destroy();
    }
  }

  #answer(request: IncomingMessage, response: ServerResponse): Promise<Answer> {
    checkOrigin(request.headers);
    const user = this.#options.authenticator.authenticate(request.headers.authorization);
    return this.#options.handle(new NodeRequest(request, response, user));
  }
}

/** Leaves a quarter of what the process may open for everything else, and 256 files at least. */
function connectionLimit(): number {
  try {
    const files = /^Max open files\s+(\d+)/m.exec(Deno.readTextFileSync("/proc/self/limits"))?.[1];
    return files === undefined ? Infinity : Number(files) - Math.max(256, Math.ceil(Number(files) / 4));
  } catch {
    // Not Linux.
    return Infinity;
  }
}

class NodeRequest implements ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly user: User;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  #abort: AbortController | undefined;

  constructor(request: IncomingMessage, response: ServerResponse, user: User) {
    this.method = request.method ?? "GET";
    ({ path: this.path, query: this.query } = splitUrl(request.url ?? "/"));
    this.user = user;
    this.#request = request;
    this.#response = response;
  }

  header(name: string): string | undefined {
    const value = this.#request.headers[name];
    return Array.isArray(value) ? value.join(",") : value;
  }

  get signal(): AbortSignal {
    if (!this.#abort) {
      const abort = this.#abort = new AbortController();
      this.#response.once("close", () => abort.abort());
    }
    return this.#abort.signal;
  }

  body(): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      if (Number(this.#request.headers["content-length"] ?? 0) > MAX_BODY_BYTES) return reject(tooLarge());
      const chunks: Uint8Array[] = [];
      let size = 0;
      this.#request.on("data", (chunk: Uint8Array) => {
        size += chunk.length;
        if (size > MAX_BODY_BYTES) {
          this.#request.pause();
          return reject(tooLarge());
        }
        chunks.push(chunk);
      });
      let ended = false;
      this.#request.once("end", () => {
        ended = true;
        resolve(chunks.length === 1 ? chunks[0] : concat(chunks, size));
      });
      this.#request.once("close", () => {
        // Every request closes in the end, and an error costs a stack trace.
        if (!ended) reject(new Refusal(400, "BadRequest", "the request ended early"));
      });
    });
  }
}

function send(request: IncomingMessage, response: ServerResponse, answer: Answer): void {
  if (response.destroyed) return;
  const headers: Record<string, string | number | string[]> = {};
  for (const [name, value] of headersOf(answer)) {
    const before = headers[name] as string[] | string | undefined;
    headers[name] = before === undefined ? value : [before, value].flat();
  }
  if (answer.stream) {
    response.writeHead(answer.code, headers);
    response.flushHeaders();
    answer.stream(new ResponseSink(response));
    return;
  }
  const body = typeof answer.body === "string" ? Buffer.from(answer.body) : answer.body ?? new Uint8Array();
  if (request.method !== "HEAD" && answer.code !== 204) headers["content-length"] = body.length;
  response.writeHead(answer.code, headers);
  response.end(request.method === "HEAD" ? undefined : body);
}

class ResponseSink implements Sink {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  write(chunk: Uint8Array | string): void {
    if (!this.#response.destroyed) this.#response.write(chunk);
  }

  get waitingBytes(): number {
    return this.#response.writableLength;
  }

  end(): void {
    this.#response.end();
  }

  destroy(): void {
    this.#response.destroy();
  }

  onClose(callback: () => void): void {
    if (this.#response.destroyed) callback();
    else this.#response.once("close", callback);
  }

  onDrain(callback: () => void): void {
    this.#response.on("drain", callback);
  }
}
