import { type Command, InvalidArgumentError } from "commander";
import type { HealthCheck } from "../runtime/health.ts";
import { healthAnswer } from "../telemetry/health.ts";
import { HttpEndpoint, ListenError } from "../telemetry/http_endpoint.ts";
import { type ListenAddress, parseListenAddress } from "../telemetry/listen_address.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { option } from "./options.ts";

export interface EndpointOptions {
  metricsBindAddress: ListenAddress | "none";
  healthProbeBindAddress: ListenAddress | "none";
}

/** The tutorial's flags and its defaults. */
const FLAGS = [
  ["--metrics-bind-address", ":8080", "where /metrics is served"],
  ["--health-probe-bind-address", ":8081", "where /healthz, /livez and /readyz are served"],
] as const;

export function addEndpointOptions(command: Command): Command {
  for (const [flag, address, what] of FLAGS) {
    command.addOption(
      option(`${flag} <host:port>`, `${what}; no host: all addresses; 0: nowhere`)
        .default(parseListenAddress(address), address).argParser(listenAddress),
    );
  }
  return command;
}

function listenAddress(text: string): ListenAddress | "none" {
  const address = parseListenAddress(text);
  if (address === undefined) throw new InvalidArgumentError("must be host:port, :port, or 0 for none.");
  return address;
}

/** The servers that are asked for, listening already. What is asked of them is answered from `metrics` and `checks` then. */
export function openEndpoints(
  { metricsBindAddress, healthProbeBindAddress }: EndpointOptions,
  { metrics, checks }: { metrics: Metrics; checks: () => readonly HealthCheck[] },
): HttpEndpoint[] {
  const endpoints: HttpEndpoint[] = [];
  if (metricsBindAddress !== "none") {
    const answer = async () => {
      const { contentType, text } = await metrics.expose();
      return new Response(text, { headers: { "content-type": contentType } });
    };
    endpoints.push(open({ what: "metrics", address: metricsBindAddress, paths: { "/metrics": answer } }));
  }
  if (healthProbeBindAddress !== "none") {
    const live = () => [PING, ...checks().filter((check) => check.live)];
    const paths = {
      "/healthz": healthAnswer("healthz", live),
      "/livez": healthAnswer("livez", live),
      "/readyz": healthAnswer("readyz", () => [PING, ...checks()]),
    };
    endpoints.push(open({ what: "health", address: healthProbeBindAddress, paths }));
  }
  return endpoints;
}

const PING: HealthCheck = { name: "ping", live: true, check: () => ({ ok: true }) };

function open(options: { what: "metrics" | "health" } & ConstructorParameters<typeof HttpEndpoint>[0]): HttpEndpoint {
  try {
    return new HttpEndpoint(options);
  } catch (error) {
    if (!(error instanceof ListenError)) throw error;
    const [flag] = FLAGS[options.what === "metrics" ? 0 : 1];
    throw new Error(`${error.message}; choose another with ${flag}, or 0 for none`, { cause: error });
  }
}
