/** Where a server listens. Without a host: on all addresses of the machine. */
export interface ListenAddress {
  readonly hostname?: string;
  readonly port: number;
}

/**
 * Reads an address as Kubernetes' programs take them: `:8080`, `127.0.0.1:8080`, `[::1]:8080`, with port 0 for any that is
 * free; `0` is none at all. Undefined: it is nothing of these.
 */
export function parseListenAddress(text: string): ListenAddress | "none" | undefined {
  if (text === "0") return "none";
  const [, six, host, digits] = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]\s/]*)):(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (!(port <= 65535)) return undefined;
  const hostname = six ?? host;
  return hostname ? { hostname, port } : { port };
}

/** As people write it: `[::1]:8080`. */
export function formatListenAddress({ hostname = "", port }: ListenAddress): string {
  return hostname.includes(":") ? `[${hostname}]:${port}` : `${hostname}:${port}`;
}

/** The address cannot be listened on. */
export class ListenError extends Error {
  override readonly name = "ListenError";
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
