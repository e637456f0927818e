import { Counter } from "prom-client";
import type { Metrics } from "../telemetry/metrics.ts";
import { readGauge } from "../telemetry/read_gauge.ts";
import { TalliedHistogram } from "../telemetry/tallied_histogram.ts";
import { LIMITED_LANES } from "./lanes/places.ts";
import type { LanesView } from "./transport/request.ts";

/** client-go's. */
const BUCKETS_SECONDS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];

/** The lanes in which requests wait for their turn. */
const LANES = ["lease", ...LIMITED_LANES] as const;

/** The metrics of each lane: the figure of a client, the name and the help. */
const LANE_GAUGES = [
  ["inFlight", "cronjob_controller_requests_in_flight", "Requests to the API server that are under way, by lane"],
  ["waiting", "cronjob_controller_requests_waiting", "Requests to the API server that wait for their turn, by lane"],
] as const;

/** The metrics of a client of the API server, under client-go's names. What is called `verb` there is the HTTP method. */
export class RequestMetrics {
  readonly #requests: Counter;
  readonly #duration = new TalliedHistogram({
    name: "rest_client_request_duration_seconds",
    help: "Request latency in seconds, broken down by verb and host",
    labelNames: ["verb", "host"],
    buckets: BUCKETS_SECONDS,
  });
  readonly #waited = new TalliedHistogram({
    name: "rest_client_rate_limiter_duration_seconds",
    help: "How long requests were held back by the client in seconds, broken down by verb and host",
    labelNames: ["verb", "host"],
    buckets: BUCKETS_SECONDS,
  });
  readonly #histograms: readonly TalliedHistogram[] = [this.#duration, this.#waited];
  readonly #clients: LanesView[] = [];

  constructor(metrics: Pick<Metrics, "registry" | "addSection">) {
    const registers = [metrics.registry];
    metrics.addSection(() => this.#histograms.map((histogram) => histogram.write()));
    this.#requests = new Counter({
      name: "rest_client_requests_total",
      help: "Number of HTTP requests, partitioned by status code, method, and host",
      labelNames: ["code", "method", "host"],
      registers,
    });
    const sum = (read: (client: LanesView) => number) => this.#clients.reduce((sum, client) => sum + read(client), 0);
    for (const [state, name, help] of LANE_GAUGES) {
      readGauge({ name, help, labelNames: ["lane"], registers }, (gauge) => {
        for (const lane of LANES) gauge.set({ lane }, sum((client) => client[state](lane)));
      });
    }
    readGauge({
      name: "cronjob_controller_requests_in_flight_limit",
      help: "How many requests may be under way; those of slow namespaces come on top, up to as many again at a time",
      registers,
    }, (gauge) => gauge.set(sum(({ limit }) => limit)));
    new Counter({
      name: "cronjob_controller_requests_paused_seconds_total",
      help: "Seconds in which nothing but leases was sent, because the API server asked clients to come back later",
      registers,
      collect() {
        this.reset();
        this.inc(sum(({ pauses }) => pauses.lastedMs) / 1_000);
      },
    });
  }

  /** When the API server last held requests back, on the monotonic clock; -Infinity: never. */
  get pausedUntil(): number {
    return Math.max(...this.#clients.map(({ pauses }) => pauses.until));
  }

  readonly onLanes = (client: LanesView): void => void this.#clients.push(client);

  readonly onRequest = (
    { method, host, code, durationMs }: { method: string; host: string; code: number; durationMs: number },
  ): void => {
    this.#requests.inc({ code: code === 0 ? "<error>" : String(code), method, host });
    this.#duration.observe(durationMs / 1_000, method, host);
  };

  readonly onLaneWait = ({ method, host, waitMs }: { method: string; host: string; waitMs: number }): void => {
    this.#waited.observe(waitMs / 1_000, method, host);
  };
}
