import { InvalidArgumentError } from "commander";
import { type ListenAddress, ListenError, parseListenAddress } from "../../telemetry/listen_address.ts";

/** Reads the address at which something is served; `none` where nothing is. */
export function listenAddress(text: string): ListenAddress | "none" {
  const address = parseListenAddress(text);
  if (address === undefined) throw new InvalidArgumentError("must be host:port, :port, or 0 for none.");
  return address;
}

/** Reads an address on this machine only, where a page is served to the user of the program; or `none`. */
export function loopbackAddress(text: string): ListenAddress | "none" {
  const address = parseListenAddress(text);
  if (address === "none" || (address !== undefined && isLoopback(address))) return address;
  throw new InvalidArgumentError("must be 127.0.0.1:port, localhost:port, [::1]:port, or 0 for none.");
}

/** Returns whether only this machine reaches an address. */
export function isLoopback({ hostname }: ListenAddress): boolean {
  return hostname !== undefined && ["127.0.0.1", "localhost", "::1"].includes(hostname);
}

/** Opens a server at the address of `flag`. @throws {Error} naming the flag where the address cannot be listened on */
export function listenBy<T>(flag: string, open: () => T): T {
  try {
    return open();
  } catch (error) {
    if (!(error instanceof ListenError)) throw error;
    throw new Error(`${error.message}; choose another with ${flag}, or 0 for none`, { cause: error });
  }
}
