// Runs of the past beside those of the schedule.
import { assert, assertEquals } from "@std/assert";
import { BACKFILL } from "../../src/cronjob/api/annotations.ts";
import { FLAVOURS } from "../../src/cronjob/api/flavour.ts";
import { completedAt } from "../support/ended_job.ts";
import { must } from "../support/expected.ts";
import { test } from "../support/test.ts";
import { countsOf, progressOf, REQUEST, runOut, startingWith } from "./support/backfilling.ts";
import { jobOf } from "../support/job.ts";

for (const flavour of FLAVOURS) {
  const name = flavour.controllerName;

  test(`A run of the schedule goes before those of a back-fill, and is not held back by them (${name})`, async () => {
    const s = startingWith(flavour, { to: "2026-03-10T10:00:00Z", maxActive: 2 }, {
      spec: { concurrencyPolicy: "Forbid" },
    });
    await s.comeToRest();
    s.set("11:00");
    assertEquals(await s.fire(), ["11:00"]);
    s.finish("06:00");
    await s.comeToRest();
    assertEquals(s.slots(), ["06:00", "07:00", "11:00", "08:00"]);
    // Neither does a request for what is still to come reach beyond the moment at which it was seen.
    s.ask({ ...REQUEST, id: "b", from: "2026-03-10T10:30:00Z", to: "2026-03-10T14:00:00Z" });
    await runOut(s);
    assertEquals(countsOf(s), { state: "Completed", slots: 1, succeeded: 0, failed: 0, gone: 0, skipped: 1 });
  });

  test(`History keeps as many runs of the past as of the schedule, each for itself (${name})`, async () => {
    const spec = { successfulJobsHistoryLimit: 1 };
    const s = startingWith(flavour, {}, { spec });
    s.set("11:00");
    await s.fire();
    await runOut(s);
    const left = [...s.server.jobs.values()].map(({ metadata }) => metadata.annotations?.[BACKFILL]).sort();
    assertEquals(left, ["a", undefined]);
  });

  test(`What the schedule may still start is left to it, also while it is suspended (${name})`, async () => {
    const catchUp = flavour.extrasIn === "spec" && { catchUp: { policy: "All" as const } };
    const s = startingWith(flavour, { from: "2026-03-10T09:00:00Z", to: "2026-03-10T12:30:00Z" }, {
      spec: { suspend: true, successfulJobsHistoryLimit: 0, ...catchUp },
      armed: "13:30",
    });
    if (!catchUp) s.edit({ metadata: { annotations: { "cronjob-controller.dev/catch-up": "All" } } });
    await runOut(s);
    assertEquals([s.slots(), progressOf(s)?.message], [
      ["09:00", "10:00"],
      "The schedule itself may still start what is left: it goes first",
    ]);
    s.edit({ spec: { suspend: false } });
    await runOut(s);
    assertEquals(s.slots().slice(2, 5), ["11:00", "12:00", "13:00"]);
    assertEquals([progressOf(s)?.state, s.cronJob.status?.lastScheduleTime], ["Completed", "2026-03-10T13:00:00Z"]);
  });

  test(`A back-fill starts nothing of the future where a clock was ahead (${name})`, async () => {
    const s = startingWith(flavour, { from: "2026-03-10T09:00:00Z", to: "2026-03-10T23:00:00Z", maxActive: 9 }, {
      spec: { suspend: true },
    });
    s.setClock("15:30");
    s.deliverAll();
    await s.settle();
    s.setClock("10:31");
    s.reconciler.lookAtClock();
    await s.comeToRest();
    assertEquals(s.slots(), ["09:00", "10:00"]);
  });

  test(`A run of the past takes another name where its own belongs to another Job (${name})`, async () => {
    const s = startingWith(flavour, { to: "2026-03-10T07:00:00Z" });
    const time = Date.parse("2026-03-10T06:00:00Z") / 1_000 / flavour.nameUnitSeconds;
    s.server.put("jobs", jobOf({ name: `c-${time}`, uid: "foreign", status: completedAt("2026-03-10T10:00:00Z") }));
    await runOut(s);
    assert(/^c-\d+-r[0-9a-v]{7}$/.test(must(s.server.created[0]).job.metadata.name));
    assertEquals([countsOf(s).succeeded, s.cronJob.status?.counts?.missed ?? 0], [1, 0]);
  });

  test(`A refused run of the past is tried again, and holds back none of the schedule (${name})`, async () => {
    const s = startingWith(flavour);
    s.fates = ["ok", "refused"];
    await s.comeToRest();
    assertEquals([progressOf(s)?.message, s.slots()], ["not allowed", []]);
    assertEquals(await s.settle(), "10:00:31");
    s.fates = ["refused"];
    s.set("10:00:31");
    await s.comeToRest();
    s.set("11:00");
    s.fates = ["refused"];
    await s.fire();
    s.deliverAll();
    s.fates = ["refused", "ok"];
    assertEquals((await s.settle()).slice(0, 7), "11:00:0");
    s.set("11:05");
    await s.comeToRest();
    assertEquals(s.slots(), ["11:00", "06:00"]);
  });
}
