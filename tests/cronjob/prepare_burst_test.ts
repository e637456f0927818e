import { assertEquals } from "@std/assert";
import { followChildren } from "../../src/cronjob/child_cache.ts";
import { CronJobController } from "../../src/cronjob/controller.ts";
import { BATCH } from "../../src/cronjob/api/flavour.ts";
import { FakeApi } from "../runtime/support/fake_api.ts";
import { cronJobOf } from "../support/cron_job.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";

test("Connections are opened a few seconds before many runs are due, and not for a few runs", async () => {
  for (const [count, prepared] of [[20, ["prepare 20"]], [15, []]] as [number, string[]][]) {
    const clock = new FakeClock(Date.parse("2026-01-01T10:59:30Z"));
    const api = new FakeApi(() => clock.now());
    for (let i = 0; i < count; i++) api.put(BATCH.resource, cronJobOf(BATCH, { name: `c${i}` }));
    const jobs = followChildren({ client: api, clock, flavours: [BATCH] });
    const recorder = { record: () => {} };
    const controller = new CronJobController({ client: api, clock, flavour: BATCH, jobs, recorder });
    const stop = new AbortController();
    const running = controller.run(stop.signal);
    const preparations = () => [...new Set(api.requests.filter((request) => request.startsWith("prepare")))];
    await clock.advance(25_000);
    assertEquals(preparations(), []);
    await clock.advance(4_000);
    assertEquals(preparations(), prepared);
    stop.abort();
    await running;
  }
});
