import { InvalidArgumentError } from "commander";
import { type ListenAddress, ListenError, parseListenAddress } from "../../telemetry/listen_address.ts";

/** Reads an address where something is served, or nothing is. */
export function listenAddress(text: string): ListenAddress | "none" {
  const address = parseListenAddress(text);
  if (address === undefined) throw new InvalidArgumentError("must be host:port, :port, or 0 for none.");
  return address;
}

/** Reads one where a page is served to the user of the program, on this machine only. */
export function loopbackAddress(text: string): ListenAddress | "none" {
  const address = parseListenAddress(text);
  if (address === "none" || (address !== undefined && isLoopback(address))) return address;
  throw new InvalidArgumentError("must be 127.0.0.1:port, localhost:port, [::1]:port, or 0 for none.");
}

/** Returns whether only this machine reaches what listens there. */
export function isLoopback({ hostname }: ListenAddress): boolean {
  return hostname !== undefined && ["127.0.0.1", "localhost", "::1"].includes(hostname);
}

/** Opens what listens where `flag` says. @throws {Error} naming the flag where the address cannot be listened on */
export function listenBy<T>(flag: string, open: () => T): T {
  try {
    return open();
  } catch (error) {
    if (!(error instanceof ListenError)) throw error;
    throw new Error(`${error.message}; choose another with ${flag}, or 0 for none`, { cause: error });
  }
}
