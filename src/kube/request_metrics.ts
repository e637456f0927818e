import { Counter, Gauge, type Registry } from "prom-client";
import type { Metrics } from "../telemetry/metrics.ts";
import { TalliedHistogram } from "../telemetry/tallied_histogram.ts";
import type { Lane } from "./client.ts";
import type { LanesView } from "./transport/request.ts";

/** client-go's. */
const BUCKETS_SECONDS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];

/** The lanes in which requests wait for their turn. */
const LANES: readonly Lane[] = ["lease", "run", "status", "read", "housekeeping", "event"];

type Lanes = Omit<LanesView, "host">;

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
  readonly #clients: Lanes[] = [];

  constructor(metrics: Pick<Metrics, "registry" | "addSection">) {
    const { registry } = metrics;
    const registers = [registry];
    metrics.addSection(() => this.#histograms.map((histogram) => histogram.write()));
    this.#requests = new Counter({
      name: "rest_client_requests_total",
      help: "Number of HTTP requests, partitioned by status code, method, and host",
      labelNames: ["code", "method", "host"],
      registers,
    });
    this.#laneGauge(
      registry,
      "cronjob_controller_requests_in_flight",
      "Requests to the API server that are under way, by lane",
      (client, lane) => client.inFlight(lane),
    );
    this.#laneGauge(
      registry,
      "cronjob_controller_requests_waiting",
      "Requests to the API server that wait for their turn, by lane",
      (client, lane) => client.waiting(lane),
    );
    const clients = this.#clients;
    new Gauge({
      name: "cronjob_controller_requests_in_flight_limit",
      help: "How many requests may be under way; those of slow namespaces come on top, up to as many again at a time",
      registers,
      collect() {
        this.set(clients.reduce((sum, { limit }) => sum + limit, 0));
      },
    });
    new Counter({
      name: "cronjob_controller_requests_paused_seconds_total",
      help: "Seconds in which nothing but leases was sent, because the API server asked clients to come back later",
      registers,
      collect() {
        this.reset();
        this.inc(clients.reduce((sum, { pausedMs }) => sum + pausedMs, 0) / 1_000);
      },
    });
  }

  /** When the API server last held requests back, on the monotonic clock; -Infinity: never. */
  get pausedUntil(): number {
    return Math.max(...this.#clients.map(({ pausedUntil }) => pausedUntil));
  }

  readonly onLanes = (client: Lanes): void => void this.#clients.push(client);

  readonly onRequest = (
    { method, host, code, durationMs }: { method: string; host: string; code: number; durationMs: number },
  ): void => {
    this.#requests.inc({ code: code === 0 ? "<error>" : String(code), method, host });
    this.#duration.observe(durationMs / 1_000, method, host);
  };

  readonly onLaneWait = ({ method, host, waitMs }: { method: string; host: string; waitMs: number }): void => {
    this.#waited.observe(waitMs / 1_000, method, host);
  };

  #laneGauge(
    registry: Registry,
    name: string,
    help: string,
    read: (client: Lanes, lane: Lane) => number,
  ): void {
    const clients = this.#clients;
    new Gauge({
      name,
      help,
      labelNames: ["lane"],
      registers: [registry],
      collect() {
        for (const lane of LANES) this.set({ lane }, clients.reduce((sum, client) => sum + read(client, lane), 0));
      },
    });
  }
}
