import { assertEquals, assertStringIncludes } from "@std/assert";
import { Controller } from "../../src/runtime/controller.ts";
import { Metrics } from "../../src/telemetry/metrics.ts";
import { FakeClock, settle } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";

test("Metrics shows what a controller, a client and an election tell, under upstream's names", async () => {
  const metrics = new Metrics();
  const stop = new AbortController();
  let failed = false;
  const controller = new Controller({
    name: "cronjob",
    clock: new FakeClock(),
    observer: metrics.controllers,
    reconcile: (key) => {
      if (key !== "bad" || failed) return Promise.resolve();
      failed = true;
      return Promise.reject(new Error("not now"));
    },
  });
  for (const key of ["a", "bad"]) controller.enqueue(key);
  const ended = controller.run(stop.signal);
  await settle();
  stop.abort();
  await ended;
  metrics.requests.onRequest({ verb: "create", method: "POST", host: "h", code: 201, durationMs: 20 });
  metrics.requests.onRequest({ verb: "create", method: "POST", host: "h", code: 0, durationMs: 20 });
  metrics.leadership("lock")(true);

  const { contentType, text } = await metrics.expose();
  assertStringIncludes(contentType, "text/plain");
  const lines = text.split("\n");
  const expected = [
    'workqueue_depth{name="cronjob"} 0',
    'workqueue_adds_total{name="cronjob"} 2',
    'workqueue_retries_total{name="cronjob"} 1',
    'workqueue_queue_duration_seconds_count{name="cronjob"} 2',
    'workqueue_work_duration_seconds_count{name="cronjob"} 2',
    'rest_client_requests_total{code="201",method="POST",host="h"} 1',
    'rest_client_requests_total{code="<error>",method="POST",host="h"} 1',
    'rest_client_request_duration_seconds_sum{verb="create",host="h"} 0.04',
    'leader_election_master_status{name="lock"} 1',
  ];
  assertEquals(expected.filter((line) => !lines.includes(line)), []);
});
