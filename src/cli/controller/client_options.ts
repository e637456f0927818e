import { InvalidArgumentError } from "commander";
import { ConfigError } from "../errors.ts";
import { option, type OptionsOf, wholeNumber } from "../flags/options.ts";

/** How fast requests may go to the API server; nothing limits them by default. */
export const CLIENT_OPTIONS = [
  option(
    "--kube-api-qps <n>",
    "requests a second to the API server, in the long run; those for the leader's Lease do not count " +
      "(default: no limit, the server has its own)",
  ).parsedBy(requestsPerSecond),
  option(
    "--kube-api-burst <n>",
    "requests that may go at once before --kube-api-qps holds (default: twice as many as that)",
  ).parsedBy(wholeNumber(1, 1_000_000)),
];

type ClientOptions = OptionsOf<typeof CLIENT_OPTIONS>;

/**
 * Returns the limits in a client's own terms.
 *
 * @throws {ConfigError} where they make no sense together
 */
export function rateLimitOf({ kubeApiQps: qps, kubeApiBurst: burst }: ClientOptions) {
  if (burst !== undefined && qps === undefined) {
    throw new ConfigError(
      `--kube-api-burst ${burst} limits nothing without --kube-api-qps: give that too, or leave both out for no limit`,
    );
  }
  return { qps, burst };
}

function requestsPerSecond(text: string): number {
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : NaN;
  if (!(value > 0 && value <= 1_000_000)) {
    throw new InvalidArgumentError("must be a number above 0 and up to 1000000; leave it out for no limit.");
  }
  return value;
}
