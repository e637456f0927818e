import { messageOf } from "./message_of.ts";

/** Where a server listens. Without a host: on all addresses of the machine. */
export interface ListenAddress {
  readonly hostname?: string;
  readonly port: number;
}

/**
 * Reads an address as Kubernetes' programs take them: `:8080`, `127.0.0.1:8080`, `[::1]:8080`. Port 0 stands for any that is
 * free, and the text `0` for no server. Returns undefined for any other text.
 */
export function parseListenAddress(text: string): ListenAddress | "none" | undefined {
  if (text === "0") return "none";
  const [, ipv6, host, digits] = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]\s/]*)):(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (digits === undefined || port > 65535) return undefined;
  const hostname = ipv6 ?? host;
  return hostname ? { hostname, port } : { port };
}

/** Returns an address as people write it: `[::1]:8080`. */
export function formatListenAddress({ hostname = "", port }: ListenAddress): string {
  return hostname.includes(":") ? `[${hostname}]:${port}` : `${hostname}:${port}`;
}

/** An error that says why a server cannot listen on its address. */
export class ListenError extends Error {
  override readonly name = "ListenError";
}

/**
 * Calls `serve` with the host of an address. Without a host it is `::`, which takes IPv4 as well, or `0.0.0.0` on a machine
 * without IPv6, and on Windows.
 *
 * @param what the thing that is served, for the error: `metrics`
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
  const why = failure instanceof Deno.errors.AddrInUse ? `port ${address.port} is in use` : messageOf(failure);
  throw new ListenError(`Cannot serve ${what} on ${at}: ${why}`, { cause: failure });
}
