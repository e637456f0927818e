import { InvalidArgumentError, Option } from "commander";
import { type ListenAddress, parseListenAddress } from "../../telemetry/listen_address.ts";

/** Returns the option that says where a page is served to who started the program, on this machine only. */
export function loopbackAddressOption(flag: string, byDefault: string, description: string): Option {
  return new Option(`${flag} <host:port>`, description)
    .default(parseListenAddress(byDefault), byDefault).argParser(loopbackAddress);
}

function loopbackAddress(text: string): ListenAddress | "none" {
  const address = parseListenAddress(text);
  if (address === "none" || (address !== undefined && isLoopback(address))) return address;
  throw new InvalidArgumentError("must be 127.0.0.1:port, localhost:port, [::1]:port, or 0 for none.");
}

/** Returns whether only this machine reaches what listens there. */
export function isLoopback({ hostname }: ListenAddress): boolean {
  return hostname !== undefined && ["127.0.0.1", "localhost", "::1"].includes(hostname);
}
