import type { Clock } from "../../base/clock.ts";
import type { HealthCheck } from "../../runtime/health_check.ts";
import { healthAnswer } from "../../telemetry/health.ts";
import { HttpEndpoint } from "../../telemetry/http_endpoint.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import { listenBy } from "../flags/listen.ts";
import type { ControllerOptions } from "./controller_options.ts";

/**
 * Returns the servers that are asked for, listening already. What is asked of them is answered from `metrics` and
 * `checks` then.
 */
export function openEndpoints(
  { metricsBindAddress, healthProbeBindAddress }: Pick<
    ControllerOptions,
    "metricsBindAddress" | "healthProbeBindAddress"
  >,
  { clock, metrics, checks }: { clock: Clock; metrics: Metrics; checks: () => readonly HealthCheck[] },
): HttpEndpoint[] {
  const endpoints: HttpEndpoint[] = [];
  const live = () => [PING, ...checks().filter((check) => check.live)];
  const ready = () => [PING, ...checks()];
  metrics.health.add("livez", live);
  metrics.health.add("readyz", ready);
  if (metricsBindAddress !== "none") {
    const exposed = () => {
      const body = ReadableStream.from(metrics.expose()).pipeThrough(new TextEncoderStream());
      return new Response(body, { headers: { "content-type": metrics.registry.contentType } });
    };
    const paths = { "/metrics": (_query: URLSearchParams, below: string) => below === "" ? exposed() : undefined };
    const options = { what: "metrics", address: metricsBindAddress, clock, paths };
    endpoints.push(listenBy("--metrics-bind-address", () => new HttpEndpoint(options)));
  }
  if (healthProbeBindAddress !== "none") {
    const paths = {
      "/healthz": healthAnswer("healthz", live),
      "/livez": healthAnswer("livez", live),
      "/readyz": healthAnswer("readyz", ready),
    };
    const options = { what: "health", address: healthProbeBindAddress, clock, paths };
    endpoints.push(listenBy("--health-probe-bind-address", () => new HttpEndpoint(options)));
  }
  return endpoints;
}

const PING: HealthCheck = { name: "ping", live: true, check: () => ({ ok: true }) };
