import { aborted } from "../runtime/abort.ts";
import type { Clock } from "../runtime/clock.ts";
import { LastingServer } from "./lasting_server.ts";
import { loggerFor } from "./logging.ts";
import { messageOf } from "./message_of.ts";
import { formatListenAddress, type ListenAddress } from "./listen_address.ts";

/**
 * Answers a GET of its path, or of one below it (`jobs` of `/readyz/jobs`; empty: its own); undefined: there is no such.
 */
export type Answer = (query: URLSearchParams, below: string) => Response | Promise<Response> | undefined;

export interface HttpEndpointOptions {
  /** What it serves, for the log and for errors: `metrics`. */
  what: string;
  address: ListenAddress;
  clock: Pick<Clock, "sleep">;
  /** By path. */
  paths: Readonly<Record<string, Answer>>;
}

/** The address cannot be listened on. */
export class ListenError extends Error {
  override readonly name = "ListenError";
}

/** A small HTTP server that a `Manager` runs. It listens from the start, so that a port in use is known at once. */
export class HttpEndpoint {
  readonly name: string;
  /** The port, where any was asked for. */
  readonly port: number;
  readonly #server: LastingServer;

  /** @throws {ListenError} */
  constructor({ what, address, clock, paths }: HttpEndpointOptions) {
    this.name = `${what} endpoint`;
    const log = loggerFor("endpoint");
    const answer = (request: Request) => respond(request, paths);
    this.#server = new LastingServer({
      clock,
      listen: (signal, port = address.port) =>
        listenOn(
          what,
          address,
          (hostname) => Deno.serve({ hostname, port, signal, onListen: () => {}, onError }, answer),
        ),
      onFailure: (error) => log.warn("Cannot accept connections of {endpoint}: {error}", { endpoint: what, error }),
    });
    this.port = this.#server.port;
    const at = formatListenAddress({ ...address, port: this.port });
    log.info("Serving {endpoint} on {address}", { endpoint: what, address: at });
  }

  async run(signal: AbortSignal): Promise<void> {
    await aborted(signal);
    await this.#server.close();
  }
}

function onError(error: unknown): Response {
  return new Response(`${messageOf(error)}\n`, { status: 500 });
}

/**
 * On all addresses of both kinds if no other is asked for; on those of IPv4 where the machine has no others.
 *
 * @throws {ListenError}
 */
export function listenOn<T>(what: string, address: ListenAddress, serve: (hostname: string) => T): T {
  const { hostname } = address;
  const hosts = hostname ? [hostname] : Deno.build.os === "windows" ? ["0.0.0.0"] : ["::", "0.0.0.0"];
  let failure: unknown;
  for (const host of hosts) {
    try {
      return serve(host);
    } catch (error) {
      failure = error;
      if (error instanceof Deno.errors.AddrInUse) break;
    }
  }
  const at = formatListenAddress(address);
  const why = failure instanceof Deno.errors.AddrInUse
    ? `port ${address.port} is in use`
    : failure instanceof Error
    ? failure.message
    : String(failure);
  throw new ListenError(`Cannot serve ${what} on ${at}: ${why}`, { cause: failure });
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
