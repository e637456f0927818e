import type { Registry } from "prom-client";
import { askCheck, type Check } from "./health.ts";
import { readGauge } from "./read_gauge.ts";

/** The answers of the probes, under the name of Kubernetes' own components. */
export class HealthMetrics {
  readonly #probes: { type: string; checks: () => readonly Check[] }[] = [];

  constructor(registry: Registry) {
    readGauge({
      name: "kubernetes_healthcheck",
      help: "The result of a single healthcheck: 1 when it passes, else 0",
      labelNames: ["name", "type"],
      registers: [registry],
    }, (gauge) => {
      for (const { type, checks } of this.#probes) {
        for (const [name, passed] of verdicts(checks())) gauge.set({ name, type }, passed ? 1 : 0);
      }
    });
  }

  /** Shows what the checks of a probe, such as `readyz`, say whenever metrics are asked for. */
  add(type: string, checks: () => readonly Check[]): void {
    this.#probes.push({ type, checks });
  }
}

/** Several parts may have a check of one name: it passes when all of them do. */
function verdicts(checks: readonly Check[]): Map<string, boolean> {
  const passed = new Map<string, boolean>();
  for (const check of checks) passed.set(check.name, (passed.get(check.name) ?? true) && askCheck(check).ok);
  return passed;
}
