import process from "node:process";
import { Counter, type Registry } from "prom-client";
import { readGauge } from "./read_gauge.ts";

/** Registers the metrics of every Prometheus client about its process, as far as that needs no permission to read files. */
export function registerProcessMetrics(registry: Registry): void {
  const registers = [registry];
  const gauge = (name: string, help: string, read: () => number) =>
    readGauge({ name, help, registers }, (gauge) => gauge.set(read()));
  let seen = 0;
  new Counter({
    name: "process_cpu_seconds_total",
    help: "Total user and system CPU time spent in seconds",
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      const now = (user + system) / 1_000_000;
      this.inc(Math.max(0, now - seen));
      seen = now;
    },
  });
  gauge("process_resident_memory_bytes", "Resident memory size in bytes", () => Deno.memoryUsage().rss);
  gauge("process_heap_bytes", "Process heap size in bytes", () => Deno.memoryUsage().heapTotal);
  gauge(
    "process_start_time_seconds",
    "Start time of the process since the Unix epoch in seconds",
    () => performance.timeOrigin / 1_000,
  );
}
