import { Counter, Histogram, type Registry } from "prom-client";
import { COUNTERS, type Family, type JobObserver, type Labels, SYNC } from "./observer.ts";

/** 4 ms, doubling, as upstream. */
const SYNC_SECONDS = Array.from({ length: 15 }, (_, i) => 0.004 * 2 ** i);

/** The Job controller's metrics, under the names of kube-controller-manager. */
export class JobMetrics implements Required<JobObserver> {
  readonly #syncTime: Histogram;
  readonly #counters: ReadonlyMap<string, Counter>;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#syncTime = new Histogram({
      name: "job_controller_job_sync_duration_seconds",
      help: "The time it took to sync a job",
      labelNames: Object.keys(SYNC),
      buckets: SYNC_SECONDS,
      registers,
    });
    for (const labels of combinations(SYNC)) this.#syncTime.zero(labels);
    this.#counters = new Map(
      Object.entries<Family>(COUNTERS).map(([name, { help, known }]) => {
        const labelNames = Object.keys(known[0]);
        const counter = new Counter({ name: `job_controller_${name}`, help, labelNames, registers });
        for (const labels of known.flatMap(combinations)) counter.inc(labels, 0);
        return [name, counter];
      }),
    );
  }

  count(name: string, labels: Record<string, string>, count = 1): void {
    this.#counters.get(name)!.inc(labels, count);
  }

  synced(labels: Record<string, string>, seconds: number): void {
    this.count("job_syncs_total", labels);
    this.#syncTime.observe(labels, seconds);
  }
}

/** `{ a: ["1", "2"], b: ["3"] }` -> `{ a: "1", b: "3" }` and `{ a: "2", b: "3" }`. */
function combinations(values: Labels): Record<string, string>[] {
  let made: Record<string, string>[] = [{}];
  for (const [label, choices] of Object.entries(values)) {
    made = made.flatMap((labels) => choices.map((value) => ({ ...labels, [label]: value })));
  }
  return made;
}
