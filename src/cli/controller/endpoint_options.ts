import { InvalidArgumentError, type Option } from "commander";
import { type ListenAddress, parseListenAddress } from "../../telemetry/listen_address.ts";
import { option } from "../flags/options.ts";

export interface EndpointOptions {
  metricsBindAddress: ListenAddress | "none";
  healthProbeBindAddress: ListenAddress | "none";
  dashboardBindAddress: ListenAddress | "none";
  dashboardTlsCertFile?: string;
  dashboardTlsKeyFile?: string;
}

/** The flags of `EndpointOptions`: the tutorial's with its defaults, and those of the page. */
export const ENDPOINT_OPTIONS = [
  address("--metrics-bind-address", ":8080", "where /metrics is served; no host: all addresses; 0: nowhere"),
  address(
    "--health-probe-bind-address",
    ":8081",
    "where /healthz, /livez and /readyz are served; no host: all addresses; 0: nowhere",
  ),
  address(
    "--dashboard-bind-address",
    "0",
    "where a dashboard is served to people with a bearer token of the cluster; 127.0.0.1:port for kubectl " +
      "port-forward alone, any other address needs a certificate; 0: nowhere",
  ),
  option("--dashboard-tls-cert-file <file>", "its certificate, PEM; it is served under the names that this one has"),
  option("--dashboard-tls-key-file <file>", "the certificate's private key, PEM"),
];

function address(flag: string, byDefault: string, description: string): Option {
  return option(`${flag} <host:port>`, description).default(parseListenAddress(byDefault), byDefault)
    .argParser((text) => {
      const address = parseListenAddress(text);
      if (address === undefined) throw new InvalidArgumentError("must be host:port, :port, or 0 for none.");
      return address;
    });
}
