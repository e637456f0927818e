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
