import { Counter, Gauge, Histogram, Registry } from "prom-client";

const SECONDS = [0.001, 0.01, 0.1, 1, 10, 100];

/** What the program's parts tell about themselves, as metrics under the names that Kubernetes' own components use. */
export class Metrics {
  readonly registry = new Registry();
  readonly #registers = [this.registry];
  readonly #depth = this.#gauge("workqueue_depth", "Current depth of workqueue", ["name"]);
  readonly #adds = this.#counter("workqueue_adds_total", "Total number of adds handled by workqueue", ["name"]);
  readonly #retries = this.#counter("workqueue_retries_total", "Total number of retries handled by workqueue", [
    "name",
  ]);
  readonly #waited = this.#histogram(
    "workqueue_queue_duration_seconds",
    "How long in seconds an item stays in workqueue before being requested",
    ["name"],
  );
  readonly #worked = this.#histogram(
    "workqueue_work_duration_seconds",
    "How long in seconds processing an item from workqueue takes",
    ["name"],
  );
  readonly #requests = this.#counter(
    "rest_client_requests_total",
    "Number of HTTP requests, partitioned by status code, method, and host",
    ["code", "method", "host"],
  );
  readonly #requestTime = this.#histogram(
    "rest_client_request_duration_seconds",
    "Request latency in seconds, broken down by verb and host",
    ["verb", "host"],
  );
  readonly #leader = this.#gauge(
    "leader_election_master_status",
    "Gauge of if the reporting system is master of the relevant lease, 0 indicates backup, 1 indicates master",
    ["name"],
  );

  /** For a client. */
  readonly requests = {
    onRequest: (request: { verb: string; method: string; host: string; code: number; durationMs: number }): void => {
      const { verb, method, host, code, durationMs } = request;
      this.#requests.inc({ code: code === 0 ? "<error>" : String(code), method, host });
      this.#requestTime.observe({ verb, host }, durationMs / 1_000);
    },
  };

  /** For a controller and its queue. */
  readonly controllers = {
    onAdd: (name: string, depth: number): void => {
      this.#adds.inc({ name });
      this.#depth.set({ name }, depth);
    },
    onGet: (name: string, depth: number, waitedMs: number): void => {
      this.#depth.set({ name }, depth);
      this.#waited.observe({ name }, waitedMs / 1_000);
    },
    onDone: (name: string, workedMs: number): void => this.#worked.observe({ name }, workedMs / 1_000),
    onRetry: (name: string): void => this.#retries.inc({ name }),
  };

  /** For an election about the lease `name`. */
  leadership(name: string): (isLeader: boolean) => void {
    return (isLeader) => this.#leader.set({ name }, isLeader ? 1 : 0);
  }

  /** In Prometheus' text format, with the content type that goes with it. */
  async expose(): Promise<{ contentType: string; text: string }> {
    return { contentType: this.registry.contentType, text: await this.registry.metrics() };
  }

  #counter(name: string, help: string, labelNames: string[]): Counter {
    return new Counter({ name, help, labelNames, registers: this.#registers });
  }

  #gauge(name: string, help: string, labelNames: string[]): Gauge {
    return new Gauge({ name, help, labelNames, registers: this.#registers });
  }

  #histogram(name: string, help: string, labelNames: string[]): Histogram {
    return new Histogram({ name, help, labelNames, buckets: SECONDS, registers: this.#registers });
  }
}
