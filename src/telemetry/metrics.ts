import { Counter, Gauge, Registry } from "prom-client";
import { HealthMetrics } from "./health_metrics.ts";
import { registerProcessMetrics } from "./process_metrics.ts";

/** The metrics of all parts of the program, under the names that Kubernetes' own components use. */
export class Metrics {
  readonly registry = new Registry();
  /** The results of the checks that the probes ask. */
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
    help: "Events that were not sent, by component and cause",
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

  /**
   * Returns the function by which an election for the Lease `name` shows whether this process leads. Where it is never called,
   * nothing is shown, as no leader is missing then.
   */
  leadership(name: string): (isLeader: boolean) => void {
    return (isLeader) => this.#leader.set({ name }, isLeader ? 1 : 0);
  }

  /** Returns the function that counts an Event of `component` as dropped. Each of `causes` begins at 0. */
  droppedEvents<Cause extends string>(component: string, causes: readonly Cause[]): (cause: Cause) => void {
    for (const cause of causes) this.#droppedEvents.inc({ component, cause }, 0);
    return (cause) => this.#droppedEvents.inc({ component, cause });
  }

  /** Adds metrics that are written piece by piece, so that thousands of series do not hold up the event loop. */
  addSection(write: () => Iterable<string> | AsyncIterable<string>): void {
    this.#sections.push(write);
  }

  /** Everything in Prometheus' text format, piece by piece. */
  async *expose(): AsyncGenerator<string> {
    yield await this.registry.metrics();
    for (const write of this.#sections) yield* write();
  }
}
