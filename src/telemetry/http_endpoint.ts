import { aborted } from "../base/abort.ts";
import { HttpServer, type HttpServerOptions } from "./http_server.ts";
import { messageOf } from "./message_of.ts";

/**
 * Answers a GET of its path, or of one below it (`jobs` of `/readyz/jobs`; empty: its own); undefined: there is no such.
 */
export type Answer = (query: URLSearchParams, below: string) => Response | Promise<Response> | undefined;

export interface HttpEndpointOptions extends Pick<HttpServerOptions, "what" | "address" | "clock"> {
  /** By path. */
  readonly paths: Readonly<Record<string, Answer>>;
}

/** A small HTTP server that a `Manager` runs. It listens from the start, so that a port in use is known at once. */
export class HttpEndpoint {
  readonly name: string;
  /** The port, where any was asked for. */
  readonly port: number;
  readonly #server: HttpServer;

  /** @throws {ListenError} */
  constructor({ paths, ...options }: HttpEndpointOptions) {
    this.name = `${options.what} endpoint`;
    this.#server = new HttpServer({ ...options, answer: (request) => respond(request, paths).catch(onError) });
    this.port = this.#server.port;
  }

  async run(signal: AbortSignal): Promise<void> {
    await aborted(signal);
    await this.#server.close();
  }
}

function onError(error: unknown): Response {
  return new Response(`${messageOf(error)}\n`, { status: 500 });
}

async function respond(request: Request, paths: Readonly<Record<string, Answer>>): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  if (request.method !== "GET" && request.method !== "HEAD") {
    return new Response("Only GET is answered\n", { status: 405, headers: { allow: "GET, HEAD" } });
  }
  const [found, answer] =
    Object.entries(paths).find(([path]) => pathname === path || pathname.startsWith(`${path}/`)) ?? [];
  const below = found === undefined ? undefined : decoded(pathname.slice(found.length + 1));
  // Nothing is below the slash itself.
  const exists = below !== undefined && (below !== "" || pathname === found);
  const response = exists ? await answer?.(searchParams, below) : undefined;
  if (!response) return new Response(`Not found. There is: ${Object.keys(paths).join(", ")}\n`, { status: 404 });
  response.headers.set("cache-control", "no-cache, no-store");
  response.headers.set("x-content-type-options", "nosniff");
  return response;
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
