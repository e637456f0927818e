import { Counter, Gauge, Registry } from "prom-client";
import { HealthMetrics } from "./health_metrics.ts";
import { registerProcessMetrics } from "./process_metrics.ts";

/** The metrics of all parts of the program, under the names that Kubernetes' own components use. */
export class Metrics {
  readonly registry = new Registry();
  /** For the checks that the probes ask. */
  readonly health = new HealthMetrics(this.registry);
  readonly #sections: (() => Iterable<string> | AsyncIterable<string>)[] = [];
  readonly #leader = new Gauge({
    name: "leader_election_master_status",
    help: "Gauge of if the reporting system is master of the relevant lease, 0 indicates backup, 1 indicates master",
    labelNames: ["name"],
    registers: [this.registry],
  });
  readonly #droppedEvents = new Counter({
    name: "cronjob_controller_events_dropped_total",
    help: "Events that were not sent, by who would have said it and why not",
    labelNames: ["component", "cause"],
    registers: [this.registry],
  });

  /** @param build becomes the labels of the metric that names this program */
  constructor(build: Readonly<Record<string, string>> = {}) {
    new Gauge({
      name: "cronjob_controller_build_info",
      help: "Always 1; the labels say what was built, and on what it runs",
      labelNames: Object.keys(build),
      registers: [this.registry],
    }).set(build, 1);
    registerProcessMetrics(this.registry);
  }

  /** For an election about the lease `name`. Where there is none, nothing is shown: no leader is missing then. */
  leadership(name: string): (isLeader: boolean) => void {
    return (isLeader) => this.#leader.set({ name }, isLeader ? 1 : 0);
  }

  /** For the recorder of Events of `component`, which drops them for one of `causes`. */
  droppedEvents<Cause extends string>(component: string, causes: readonly Cause[]): (cause: Cause) => void {
    for (const cause of causes) this.#droppedEvents.inc({ component, cause }, 0);
    return (cause) => this.#droppedEvents.inc({ component, cause });
  }

  /** Adds metrics that write themselves, piece by piece: thousands of series leave the event loop some air. */
  addSection(write: () => Iterable<string> | AsyncIterable<string>): void {
    this.#sections.push(write);
  }

  /** The media type of what {@linkcode expose} yields. */
  get contentType(): string {
    return this.registry.contentType;
  }

  /** Everything in Prometheus' text format, piece by piece. */
  async *expose(): AsyncGenerator<string> {
    yield await this.registry.metrics();
    for (const write of this.#sections) yield* write();
  }
}
