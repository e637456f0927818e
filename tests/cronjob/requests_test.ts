import { assertEquals } from "@std/assert";
import { FLAVOURS } from "../../src/cronjob/api/flavour.ts";
import { test } from "../support/test.ts";
import { History } from "./support/history.ts";
import { Running } from "./support/running.ts";

for (const api of FLAVOURS) {
  const name = api.apiVersion;
  test(`A run of a ${name} CronJob costs one creation, one deletion, two status writes and three Events`, async () => {
    const schedule = api.nameUnitSeconds === 60 ? "* * * * *" : "@every 6s";
    const spec = { schedule, successfulJobsHistoryLimit: 2, failedJobsHistoryLimit: 1 };
    const history = new History({ api, spec, prompt: true });
    const run = async () => {
      await history.act({ do: "wait", seconds: 6 });
      await history.act({ do: "finish", which: 0, succeeds: true });
    };
    for (let warmUp = 0; warmUp < 3; warmUp++) await run();
    const before = { requests: history.server.requests.length, events: history.events.length };
    for (let times = 0; times < 10; times++) await run();
    const requests = history.server.requests.slice(before.requests);
    const counts = Object.groupBy(requests, (request) => request);
    const runs = counts["create jobs"]!.length;
    assertEquals(
      Object.fromEntries(Object.entries(counts).map(([request, list]) => [request, list!.length / runs])),
      { "create jobs": 1, "replace cronjobs/status": 2, "delete jobs": 1 },
    );
    const events = history.events.slice(before.events).map(({ reason }) => reason);
    assertEquals(events.length, 3 * runs);
    assertEquals([...new Set(events)].sort(), ["SawCompletedJob", "SuccessfulCreate", "SuccessfulDelete"]);
  });

  test(`An idle ${name} CronJob costs no request`, async () => {
    const history = new History({ api, spec: { schedule: "0 0 1 1 *" }, prompt: true });
    await history.act({ do: "wait", seconds: 1 });
    const before = history.server.requests.length;
    await history.act({ do: "wait", seconds: 3600 });
    await history.settle();
    assertEquals(history.server.requests.slice(before), []);
  });

  test(`A ${name} CronJob that waits for its active Job costs no request beyond the refusal`, async () => {
    const history = new History({
      api,
      spec: { concurrencyPolicy: "Forbid", startingDeadlineSeconds: 1 },
      prompt: true,
    });
    await history.act({ do: "wait", seconds: 6 });
    const before = { requests: history.server.requests.length, events: history.events.length };
    const slots = history.dueSlots().length;
    await history.act({ do: "wait", seconds: 60 });
    const refused = history.dueSlots().length - slots;
    const writes = api.openStatus ? refused : 0;
    assertEquals(history.server.requests.length - before.requests, writes);
    assertEquals(
      history.events.slice(before.events).map(({ reason }) => reason),
      Array(refused).fill("JobAlreadyActive"),
    );
  });
}

test("A run costs a real API server no more than that, and an idle CronJob nothing, in every flavour", async () => {
  for (const api of FLAVOURS) {
    await using running = await Running.start("2026-03-10T00:30:00Z", { controller: false });
    await running.create(api, { successfulJobsHistoryLimit: 1 });
    await running.create(api, { schedule: "0 0 1 1 *" }, { name: "idle" });
    await running.startControllers({ counted: true });
    const sent = (request: string) => running.requests.filter((one) => one === request).length;
    const run = async (hour: number) => {
      const slot = `2026-03-10T0${hour}:00:00Z`;
      running.clock.set(slot);
      const job = await running.until(`run ${hour}`, async () => {
        const { status } = await running.get(api);
        return status?.lastScheduleTime === slot &&
          (await running.jobs()).find(({ metadata }) => metadata.name === status.active?.[0]?.name);
      });
      await running.finish(job);
      // The first has nothing to delete yet.
      await running.until(
        `end ${hour}`,
        async () =>
          sent("delete jobs") >= hour - 1 && sent("create events") >= hour * 3 - 1 &&
          (await running.get(api)).status?.active === undefined,
      );
    };
    await run(1);
    const before = running.requests.length;
    for (const hour of [2, 3, 4, 5]) await run(hour);
    assertEquals(running.requests.slice(before).toSorted(), [
      ...Array(4 * 3).fill("create events"),
      ...Array(4).fill("create jobs"),
      ...Array(4).fill("delete jobs"),
      ...Array(4 * 2).fill("update cronjobs/status"),
    ]);
  }
});
