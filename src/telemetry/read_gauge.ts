import { Gauge, type GaugeConfiguration } from "prom-client";

/** Registers a gauge that `read` sets whenever metrics are asked for: what it does not set again is shown no more. */
export function readGauge(options: GaugeConfiguration<string>, read: (gauge: Gauge) => void): void {
  new Gauge({
    ...options,
    collect() {
      this.reset();
      read(this);
    },
  });
}
