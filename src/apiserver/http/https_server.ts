import { Buffer } from "node:buffer";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { loggerFor } from "../../telemetry/logging.ts";
import { messageOf, ServerError } from "../errors.ts";
import { Refusal } from "../refusal.ts";
import type { Authenticator, User } from "../security/authentication.ts";
import { type Answer, type ApiRequest, json, type Sink } from "./exchange.ts";

const log = loggerFor("apiserver", "http");

/** Larger bodies are refused, as kube-apiserver does. */
export const MAX_BODY_BYTES = 3 * 1024 * 1024;

export interface HttpsServerOptions {
  readonly port: number;
  readonly certificate: string;
  readonly privateKey: string;
  readonly authenticator: Authenticator;
  readonly handle: (request: ApiRequest) => Promise<Answer>;
}

/**
 * HTTPS on the loopback interface. Knows who asks and how large a request may be; what is asked is the handler's.
 *
 * It is `node:https` because `Deno.serve` delays larger HTTP/1.1 answers over TLS by 44 ms on Deno 2.9.
 */
export class HttpsServer {
  readonly port: number;
  readonly #options: HttpsServerOptions;
  readonly #server: Server;
  readonly #responses = new Set<ServerResponse>();

  private constructor(options: HttpsServerOptions, server: Server) {
    this.#options = options;
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    server.on("request", (request, response) => void this.#serve(request, response));
  }

  /** @throws {ServerError} when the port is taken */
  static async listen(options: HttpsServerOptions): Promise<HttpsServer> {
    const server = createServer({ cert: options.certificate, key: options.privateKey, minVersion: "TLSv1.2" });
    await new Promise<void>((resolve, reject) => {
      server.once("error", (error: Error & { code?: string }) => {
        const why = error.code === "EADDRINUSE" ? "the port is in use by another program" : messageOf(error);
        reject(new ServerError(`Cannot listen on 127.0.0.1:${options.port}: ${why}`, { cause: error }));
      });
      server.listen(options.port, "127.0.0.1", resolve);
    });
    server.on("error", (error: Error) => log.warning("server error", { error: messageOf(error) }));
    server.keepAliveTimeout = 0;
    return new HttpsServer(options, server);
  }

  /** Ends every connection, watches included. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const response of this.#responses) response.destroy();
    this.#server.closeAllConnections?.();
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
      answer = refusalAnswer(error, request);
    }
    try {
      send(request, response, answer);
    } catch (error) {
      log.error("cannot answer a request", { path: request.url, error: messageOf(error) });
      response.destroy();
    }
  }

  #answer(request: IncomingMessage, response: ServerResponse): Promise<Answer> {
    checkOrigin(request);
    const user = this.#options.authenticator.authenticate(request.headers.authorization);
    return this.#options.handle(new NodeRequest(request, response, user));
  }
}

/**
 * A web page must not reach the server through a name that it made point here, nor by asking the browser to send a
 * request. Programs send no Origin.
 */
function checkOrigin(request: IncomingMessage): void {
  // Deno 2.7 speaks HTTP/2 here, and then gives no Host.
  const host = request.headers.host?.replace(/:\d+$/, "") ?? "localhost";
  if (host !== "127.0.0.1" && host !== "localhost" && host !== "[::1]") {
    throw new Refusal(
      421,
      "Misdirected",
      `the server does not serve host ${JSON.stringify(host)}; use 127.0.0.1 or localhost`,
    );
  }
  if (request.headers.origin !== undefined) {
    throw new Refusal(403, "Forbidden", "the server takes no requests from web pages");
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
    const url = request.url ?? "/";
    const question = url.indexOf("?");
    this.method = request.method ?? "GET";
    this.path = decodePath(question < 0 ? url : url.slice(0, question));
    this.query = new URLSearchParams(question < 0 ? "" : url.slice(question + 1));
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
    const tooLarge = () =>
      new Refusal(413, "RequestEntityTooLarge", `Request entity too large: limit is ${MAX_BODY_BYTES}`);
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
      this.#request.once("end", () => resolve(chunks.length === 1 ? chunks[0] : concat(chunks, size)));
      this.#request.once("close", () => reject(new Refusal(400, "BadRequest", "the request ended early")));
    });
  }
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw new Refusal(400, "BadRequest", `the path ${path} is not properly escaped`);
  }
}

function concat(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const out = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    out.set(chunk, at);
    at += chunk.length;
  }
  return out;
}

function refusalAnswer(error: unknown, request: IncomingMessage): Answer {
  if (!(error instanceof Refusal)) {
    log.error("request failed", { method: request.method, path: request.url, error });
    error = new Refusal(500, "InternalError", `Internal error occurred: ${messageOf(error)}`);
  }
  const refusal = error as Refusal;
  const retryAfter = refusal.details?.retryAfterSeconds;
  return json(refusal.toStatus(), {
    warnings: refusal.warnings,
    code: refusal.code,
    ...(retryAfter === undefined ? {} : { headers: { "retry-after": String(retryAfter) } }),
  });
}

function send(request: IncomingMessage, response: ServerResponse, answer: Answer): void {
  if (response.destroyed) return;
  const headers: Record<string, string | number | string[]> = { ...answer.headers };
  if (answer.contentType) headers["content-type"] = answer.contentType;
  if (answer.warnings?.length) headers.warning = answer.warnings.map(warningHeader);
  // The rest of a body that nobody read would be taken for the next request.
  if (answer.code === 413) headers.connection = "close";
  if (answer.stream) {
    response.writeHead(answer.code, headers);
    // Deno 2.7 sends the head only with a first write; flushHeaders() does nothing there.
    response.write("");
    answer.stream(new ResponseSink(response));
    return;
  }
  const body = typeof answer.body === "string" ? Buffer.from(answer.body) : answer.body ?? new Uint8Array();
  if (request.method !== "HEAD" && answer.code !== 204) headers["content-length"] = body.length;
  response.writeHead(answer.code, headers);
  response.end(request.method === "HEAD" ? undefined : body);
}

/** RFC 7234's form, with the code for "miscellaneous, persistent". */
function warningHeader(warning: string): string {
  return `299 - "${warning.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
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
