import { listenAddress } from "../flags/listen.ts";
import { option, type OptionsOf } from "../flags/options.ts";

/** The endpoints: the tutorial's options with its defaults, and those of the page. */
export const ENDPOINT_OPTIONS = [
  option("--metrics-bind-address <host:port>", "where /metrics is served; no host: all addresses; 0: nowhere")
    .parsedBy(listenAddress, ":8080"),
  option(
    "--health-probe-bind-address <host:port>",
    "where /healthz, /livez and /readyz are served; no host: all addresses; 0: nowhere",
  ).parsedBy(listenAddress, ":8081"),
  option(
    "--dashboard-bind-address <host:port>",
    "where a dashboard is served to people with a bearer token of the cluster; 127.0.0.1:port for kubectl " +
      "port-forward alone, any other address needs a certificate; 0: nowhere",
  ).parsedBy(listenAddress, "0"),
  option("--dashboard-tls-cert-file <file>", "its certificate, PEM; it is served under the names that this one has"),
  option("--dashboard-tls-key-file <file>", "the certificate's private key, PEM"),
];

export type EndpointOptions = OptionsOf<typeof ENDPOINT_OPTIONS>;
