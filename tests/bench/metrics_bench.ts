/**
 * What a scrape of many CronJobs costs: `deno task bench:metrics`. The longest time for which the event loop was held up
 * counts most: a due run waits for that long at the worst.
 */
import { openEndpoints } from "../../src/cli/controller/endpoints.ts";
import type { PerCronJob } from "../../src/cronjob/observer.ts";
import { CronJobMetrics } from "../../src/cronjob/metrics.ts";
import { SystemClock } from "../../src/base/clock.ts";
import { Metrics } from "../../src/telemetry/metrics.ts";
import { atLeast } from "../support/expected.ts";
import { runToEnd } from "../support/run_to_end.ts";
import { cpuMs } from "./support/usage.ts";

const ROUNDS = 10;

function endpointOf(cronJobs: number, perCronJob: PerCronJob) {
  const metrics = new Metrics({ version: "0" });
  const observer = new CronJobMetrics(metrics, { perCronJob, now: () => 0 });
  for (let i = 0; i < cronJobs; i++) {
    const name = { apiVersion: "batch.tutorial.kubebuilder.io/v1", namespace: `team-${i % 50}`, name: `report-${i}` };
    const time = 1_700_000_000_000 + i;
    const times = { nextRun: time, lastSchedule: time, lastSuccess: time, lastFailure: time };
    observer.looked(name, { ...times, active: 1, isOverdue: false, consecutiveFailures: 0 });
  }
  const [endpoint] = atLeast(
    1,
    openEndpoints(
      { metricsBindAddress: { hostname: "127.0.0.1", port: 0 }, healthProbeBindAddress: "none" },
      { clock: new SystemClock(), metrics, checks: () => [] },
    ),
  );
  return endpoint;
}

/** Calls `sees` with the time between turns of the event loop, until the returned function is called. */
function watchTurns(sees: (ms: number) => void): () => void {
  let last = performance.now();
  let timer: ReturnType<typeof setTimeout>;
  const turn = () => {
    const now = performance.now();
    sees(now - last);
    last = now;
    timer = setTimeout(turn, 0);
  };
  timer = setTimeout(turn, 0);
  return () => clearTimeout(timer);
}

const rows = [];
for (const [cronJobs, level] of [[0, "all"], [1_000, "essential"], [5_000, "essential"], [5_000, "all"]] as const) {
  const endpoint = endpointOf(cronJobs, level);
  const stop = new AbortController();
  const ended = endpoint.run(stop.signal);
  const best = { cpuMs: Infinity, heldUpMs: Infinity, bytes: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    let heldUpMs = 0;
    const cpuBefore = cpuMs();
    const end = watchTurns((ms) => heldUpMs = Math.max(heldUpMs, ms));
    // In a process of its own: reading would be counted with writing.
    const silent = ["--silent", "--output", "/dev/null", "--write-out", "%{size_download}"];
    const { stdout } = await runToEnd(["curl", ...silent, `http://127.0.0.1:${endpoint.port}/metrics`]);
    end();
    best.cpuMs = Math.min(best.cpuMs, cpuMs() - cpuBefore);
    best.heldUpMs = Math.min(best.heldUpMs, heldUpMs);
    best.bytes = Number(stdout);
  }
  stop.abort();
  await ended;
  rows.push({
    CronJobs: cronJobs,
    shown: level,
    kB: Math.round(best.bytes / 1_000),
    "ms of CPU": Math.round(best.cpuMs),
    "event loop held up, ms": Math.round(best.heldUpMs * 10) / 10,
  });
}
console.table(rows);
