import { type Command, InvalidArgumentError } from "commander";
import { type ListenAddress, parseListenAddress } from "../../telemetry/listen_address.ts";
import { addOptions, option } from "../options.ts";

export interface EndpointOptions {
  metricsBindAddress: ListenAddress | "none";
  healthProbeBindAddress: ListenAddress | "none";
  dashboardBindAddress: ListenAddress | "none";
  dashboardTlsCertFile?: string;
  dashboardTlsKeyFile?: string;
}

/** The tutorial's flags and its defaults. */
export const ENDPOINT_FLAGS = [
  ["--metrics-bind-address", ":8080", "where /metrics is served"],
  ["--health-probe-bind-address", ":8081", "where /healthz, /livez and /readyz are served"],
] as const;

/** Adds the flags of `EndpointOptions`: the tutorial's, and those of the page. */
export function addEndpointOptions(command: Command): Command {
  for (const [flag, address, what] of ENDPOINT_FLAGS) {
    command.addOption(
      option(`${flag} <host:port>`, `${what}; no host: all addresses; 0: nowhere`)
        .default(parseListenAddress(address), address).argParser(listenAddress),
    );
  }
  return addOptions(
    command,
    option(
      "--dashboard-bind-address <host:port>",
      "where a dashboard is served to people with a bearer token of the cluster; 127.0.0.1:port for kubectl " +
        "port-forward alone, any other address needs a certificate; 0: nowhere",
    ).default(parseListenAddress("0"), "0").argParser(listenAddress),
    option(
      "--dashboard-tls-cert-file <file>",
      "its certificate, PEM; it is served under the names that this one has",
    ),
    option("--dashboard-tls-key-file <file>", "the certificate's private key, PEM"),
  );
}

function listenAddress(text: string): ListenAddress | "none" {
  const address = parseListenAddress(text);
  if (address === undefined) throw new InvalidArgumentError("must be host:port, :port, or 0 for none.");
  return address;
}
