import { assertEquals, assertStringIncludes } from "@std/assert";
import { RequestMetrics } from "../../src/kube/request_metrics.ts";
import { Controller } from "../../src/runtime/controller.ts";
import { QueueMetrics } from "../../src/runtime/queue_metrics.ts";
import { Metrics } from "../../src/telemetry/metrics.ts";
import { must } from "../support/expected.ts";
import { FakeClock, settle } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";
import { exposed, seriesOf } from "./support/exposition.ts";
import { running } from "../support/running.ts";

async function shown(metrics: Metrics): Promise<Record<string, number>> {
  return seriesOf(await exposed(metrics));
}

test("Metrics shows what a controller, a client and an election report, under upstream's names", async () => {
  const metrics = new Metrics({ version: "1.2.3" });
  let failed = false;
  const clock = new FakeClock();
  const controller = new Controller({
    name: "cronjob",
    clock,
    observer: new QueueMetrics(metrics),
    reconcile: (key) => {
      if (key === "later") return Promise.resolve({ requeueAt: clock.now() + 60_000 });
      if (key !== "bad" || failed) return Promise.resolve();
      failed = true;
      return Promise.reject(new Error("not now"));
    },
  });
  for (const key of ["a", "bad", "later"]) controller.enqueue(key);
  await using _ = running(controller);
  await settle();
  const requests = new RequestMetrics(metrics);
  requests.onRequest({ method: "POST", host: "h", code: 201, durationMs: 20 });
  requests.onRequest({ method: "POST", host: "h", code: 0, durationMs: 20 });
  requests.onLaneWait({ method: "POST", host: "h", waitMs: 30 });
  const count = (lane: string) => lane === "run" ? 3 : 0;
  const pauses = { lastedMs: 1_500, until: 0 };
  requests.onLanes({ limit: 32, pauses, inFlight: count, waiting: (lane) => 2 * count(lane) });
  metrics.leadership("lock")(true);
  metrics.droppedEvents("cronjob-controller", ["flood", "refused"])("flood");

  assertStringIncludes(metrics.registry.contentType, "text/plain");
  const series = await shown(metrics);
  const expected = {
    'cronjob_controller_build_info{version="1.2.3"}': 1,
    'workqueue_depth{name="cronjob"}': 0,
    'workqueue_adds_total{name="cronjob"}': 3,
    'workqueue_retries_total{name="cronjob"}': 1,
    'workqueue_queue_duration_seconds_count{name="cronjob"}': 3,
    'workqueue_work_duration_seconds_count{name="cronjob"}': 3,
    'controller_runtime_reconcile_total{controller="cronjob",result="success"}': 1,
    'controller_runtime_reconcile_total{controller="cronjob",result="requeue_after"}': 1,
    'controller_runtime_reconcile_total{controller="cronjob",result="requeue"}': 0,
    'controller_runtime_reconcile_total{controller="cronjob",result="error"}': 1,
    'controller_runtime_reconcile_errors_total{controller="cronjob"}': 1,
    'controller_runtime_reconcile_time_seconds_count{controller="cronjob"}': 3,
    'controller_runtime_max_concurrent_reconciles{controller="cronjob"}': 10,
    'rest_client_requests_total{code="201",method="POST",host="h"}': 1,
    'rest_client_requests_total{code="<error>",method="POST",host="h"}': 1,
    'rest_client_request_duration_seconds_sum{verb="POST",host="h"}': 0.04,
    'rest_client_rate_limiter_duration_seconds_sum{verb="POST",host="h"}': 0.03,
    'cronjob_controller_requests_in_flight{lane="run"}': 3,
    'cronjob_controller_requests_in_flight{lane="lease"}': 0,
    'cronjob_controller_requests_waiting{lane="run"}': 6,
    "cronjob_controller_requests_in_flight_limit": 32,
    "cronjob_controller_requests_paused_seconds_total": 1.5,
    'leader_election_master_status{name="lock"}': 1,
    'cronjob_controller_events_dropped_total{component="cronjob-controller",cause="flood"}': 1,
    'cronjob_controller_events_dropped_total{component="cronjob-controller",cause="refused"}': 0,
  };
  assertEquals(Object.fromEntries(Object.keys(expected).map((name) => [name, series[name]])), expected);
});

test("Metrics shows all series of a controller before it does anything, and none of a lease that is not wanted", async () => {
  const metrics = new Metrics();
  new Controller({
    name: "c",
    clock: new FakeClock(),
    observer: new QueueMetrics(metrics),
    reconcile: () => Promise.resolve(),
  });
  metrics.leadership("lock");
  const series = await shown(metrics);
  const idle = [
    'workqueue_depth{name="c"}',
    'workqueue_adds_total{name="c"}',
    'workqueue_retries_total{name="c"}',
    'workqueue_queue_duration_seconds_bucket{le="0.000001",name="c"}',
    'workqueue_queue_duration_seconds_bucket{le="1000",name="c"}',
    'workqueue_work_duration_seconds_count{name="c"}',
    'workqueue_unfinished_work_seconds{name="c"}',
    'workqueue_longest_running_processor_seconds{name="c"}',
    'controller_runtime_active_workers{controller="c"}',
    'controller_runtime_reconcile_errors_total{controller="c"}',
    'controller_runtime_reconcile_time_seconds_bucket{le="0.005",controller="c"}',
  ];
  assertEquals(idle.filter((name) => series[name] !== 0), []);
  assertEquals(Object.keys(series).filter((name) => name.startsWith("leader_election")), []);
});

test("Metrics shows how long work has been going on that has not ended", async () => {
  const metrics = new Metrics();
  const clock = new FakeClock();
  const held = Promise.withResolvers<void>();
  const controller = new Controller({
    name: "c",
    clock,
    concurrency: 2,
    observer: new QueueMetrics(metrics),
    reconcile: () => held.promise,
  });
  await using _ = running(controller);
  controller.enqueue("a");
  await clock.advance(2_000);
  for (const key of ["b", "c"]) controller.enqueue(key);
  await clock.advance(1_000);
  const series = await shown(metrics);
  assertEquals(series['workqueue_longest_running_processor_seconds{name="c"}'], 3);
  assertEquals(series['workqueue_unfinished_work_seconds{name="c"}'], 4);
  assertEquals(series['workqueue_depth{name="c"}'], 1);
  assertEquals(series['controller_runtime_active_workers{controller="c"}'], 2);
  held.resolve();
  await settle();
});

test("Metrics shows the checks of the probes as they are now, those that share a name as one", async () => {
  const metrics = new Metrics();
  let checks = [
    { name: "watch/jobs", check: () => ({ ok: true }) },
    { name: "watch/jobs", check: () => ({ ok: false }) },
    { name: "ping", check: () => ({ ok: true }) },
  ];
  metrics.health.add("readyz", () => checks);
  const verdicts = async () =>
    Object.entries(await shown(metrics)).filter(([name]) => name.startsWith("kubernetes_healthcheck"));
  assertEquals(await verdicts(), [
    ['kubernetes_healthcheck{name="watch/jobs",type="readyz"}', 0],
    ['kubernetes_healthcheck{name="ping",type="readyz"}', 1],
  ]);
  checks = checks.slice(2);
  assertEquals(await verdicts(), [['kubernetes_healthcheck{name="ping",type="readyz"}', 1]]);
});

test("Metrics shows what the process costs, under the names that every Prometheus client has", async () => {
  const metrics = new Metrics();
  const before = must((await shown(metrics)).process_cpu_seconds_total);
  const series = await shown(metrics);
  assertEquals(must(series.process_cpu_seconds_total) >= before && before > 0, true);
  assertEquals(must(series.process_resident_memory_bytes) > 10_000_000, true);
  assertEquals(must(series.process_heap_bytes) > 1_000_000, true);
  assertEquals(Math.abs(must(series.process_start_time_seconds) - performance.timeOrigin / 1_000) < 1, true);
});

test("Metrics shows how a controller stands as long as there is one, and its counts from then on", async () => {
  const metrics = new Metrics({ version: "1.2.3" });
  const observer = new QueueMetrics(metrics);
  const depth = async () => (await shown(metrics))['workqueue_depth{name="cronjob"}'];
  for (const adds of [1, 2]) {
    const options = { name: "cronjob", clock: new FakeClock(), observer, reconcile: () => Promise.resolve() };
    const controller = new Controller(options);
    controller.enqueue("a");
    assertEquals(await depth(), 1);
    const working = running(controller);
    await settle();
    assertEquals(await depth(), 0);
    await working[Symbol.asyncDispose]();
    assertEquals([await depth(), (await shown(metrics))['workqueue_adds_total{name="cronjob"}']], [undefined, adds]);
  }
});
