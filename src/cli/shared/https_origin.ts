import { ConfigError } from "../errors.ts";

/**
 * Returns the origin of a server that gets a token, from the value of a flag.
 *
 * @throws {ConfigError} where a token could be read on the way, or a path follows
 */
export function httpsOriginOf(flag: string, address: string): string {
  const url = URL.parse(address);
  if (url?.protocol === "https:" && url.href === `${url.origin}/`) return url.origin;
  throw new ConfigError(`${flag} must be https://host or https://host:port, current value is ${address}`);
}
