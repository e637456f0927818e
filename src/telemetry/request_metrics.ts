import { Counter, Histogram, type Registry } from "prom-client";

/** client-go's. */
const BUCKETS_SECONDS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];

/** What a client of the API server tells, under client-go's names. What is called `verb` there is the HTTP method. */
export class RequestMetrics {
  readonly #requests: Counter;
  readonly #duration: Histogram;
  readonly #waited: Histogram;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#requests = new Counter({
      name: "rest_client_requests_total",
      help: "Number of HTTP requests, partitioned by status code, method, and host",
      labelNames: ["code", "method", "host"],
      registers,
    });
    this.#duration = new Histogram({
      name: "rest_client_request_duration_seconds",
      help: "Request latency in seconds, broken down by verb and host",
      labelNames: ["verb", "host"],
      buckets: BUCKETS_SECONDS,
      registers,
    });
    this.#waited = new Histogram({
      name: "rest_client_rate_limiter_duration_seconds",
      help: "How long requests were held back by the client in seconds, broken down by verb and host",
      labelNames: ["verb", "host"],
      buckets: BUCKETS_SECONDS,
      registers,
    });
  }

  readonly onRequest = (
    { method, host, code, durationMs }: { method: string; host: string; code: number; durationMs: number },
  ): void => {
    this.#requests.inc({ code: code === 0 ? "<error>" : String(code), method, host });
    this.#duration.observe({ verb: method, host }, durationMs / 1_000);
  };

  readonly onLaneWait = ({ method, host, waitMs }: { method: string; host: string; waitMs: number }): void => {
    this.#waited.observe({ verb: method, host }, waitMs / 1_000);
  };
}
