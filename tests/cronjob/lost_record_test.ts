// A restored API server has forgotten what was written: CronJobs with `neverTwice` start nothing until they are resumed.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { RECORD_LOST, RESUME } from "../../src/cronjob/api/annotations.ts";
import { BATCH, type Flavour, FLAVOURS, TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import { readCronJob, withType } from "../../src/cronjob/api/read_cron_job.ts";
import type { CronJobObject } from "../../src/cronjob/api/types.ts";
import { formatTime } from "../../src/base/epoch_ms.ts";
import { test } from "../support/test.ts";
import { Starting, type StartingGiven } from "./support/starting.ts";
import { at } from "./support/world.ts";

const STRICT = { neverTwice: { byDefault: true } };

/** A CronJob whose run of 10:01 is recorded, and its version of before. */
async function afterRun(given: StartingGiven): Promise<{ s: Starting; backup: CronJobObject }> {
  const s = new Starting(given);
  await s.comeToRest();
  const backup = s.cronJob;
  s.set("10:01");
  await s.fire();
  s.finishAll();
  await s.comeToRest();
  assertEquals(s.cronJob.status?.lastScheduleTime, formatTime(at("10:01")));
  return { s, backup };
}

/** The API server has this version again, and has forgotten all Jobs. */
function restore(s: Starting, backup: CronJobObject): void {
  s.removeJobs();
  s.server.restore("cronjobs", backup);
  s.deliverAll();
}

function isHeld(s: Starting): boolean {
  return readCronJob(s.flavour, withType(s.flavour, s.cronJob)).lostRecord !== undefined;
}

const lists = (s: Starting) => s.server.requests.filter((request) => request === "list cronjobs").length;

for (const flavour of FLAVOURS) {
  const { controllerName } = flavour;

  test(`Nothing starts after a restore until a user resumes it, also in the next process (${controllerName})`, async () => {
    const { s, backup } = await afterRun({ flavour, ...STRICT });
    restore(s, backup);
    s.set("10:01:30");
    assertEquals(await s.settle(), "10:01:35", "One read may have been of a server that lags");
    assertEquals(isHeld(s), false);
    s.set("10:01:35");
    await s.comeToRest();
    assert(isHeld(s));
    assertEquals(s.cronJob.status?.lastScheduleTime, formatTime(at("10:01")), "It records what it knows");
    assertEquals(s.events.filter((event) => event.startsWith("RecordLost: ")).length, 1);
    await s.live("10:03");
    s.boot();
    await s.live("10:05");
    assertEquals(s.slots(), ["10:01"]);
    s.edit({ metadata: { annotations: { [RESUME]: "1" } } });
    await s.live("10:06");
    assertEquals(s.slots(), ["10:01", "10:06"]);
    assertEquals([isHeld(s), s.cronJob.status?.recordLost, s.cronJob.metadata.annotations?.[RECORD_LOST]], [
      false,
      undefined,
      undefined,
    ]);
  });

  test(`After a restore other CronJobs go on as ever (${controllerName})`, async () => {
    const { s, backup } = await afterRun({ flavour, neverTwice: { byDefault: false } });
    restore(s, backup);
    await s.live("10:03");
    assertEquals([s.slots(), isHeld(s)], [["10:01", "10:02", "10:03"], false]);
    assertEquals(s.events.filter((event) => event.startsWith("RecordLost: ")), []);
  });

  test(`A cache that shows the past holds nothing up where a consistent read is right (${controllerName})`, async () => {
    const { s, backup } = await afterRun({ flavour, ...STRICT });
    s.cronJobs.relist([backup]);
    const before = lists(s);
    await s.settle();
    assertEquals(lists(s) - before, 1);
    s.set("10:02");
    assertEquals(await s.fire(), ["10:02"]);
    await s.comeToRest();
    assertEquals([isHeld(s), s.cronJob.status?.lastScheduleTime], [false, formatTime(at("10:02"))]);
  });
}

test("With catchUp All each run that came due meanwhile starts once it is resumed", async () => {
  const { s, backup } = await afterRun({ flavour: TUTORIAL, spec: { catchUp: { policy: "All" } }, ...STRICT });
  for (const minute of ["10:02", "10:03"]) {
    s.set(minute);
    await s.fire();
    s.finishAll();
    await s.comeToRest();
  }
  restore(s, backup);
  await s.live("10:06", 10_000);
  assertEquals([s.slots(), isHeld(s)], [["10:01", "10:02", "10:03"], true]);
  s.edit({ metadata: { annotations: { [RESUME]: "1" } } });
  for (const minute of ["10:06:30", "10:07", "10:07:30", "10:08"]) {
    await s.live(minute, 10_000);
    s.finishAll();
  }
  assertEquals(s.slots().toSorted(), ["10:01", "10:02", "10:03", "10:04", "10:05", "10:06", "10:07", "10:08"]);
});

test("A run that is due while it is in doubt waits, by hand too", async () => {
  const { s, backup } = await afterRun({ flavour: TUTORIAL, ...STRICT });
  restore(s, backup);
  s.set("10:02");
  assertEquals(await s.fire(), []);
  assertEquals(await s.settle(), "10:02:05");
  s.set("10:02:05");
  await s.comeToRest();
  s.edit({ metadata: { annotations: { "cronjob-controller.dev/trigger": "x" } } });
  await s.comeToRest();
  assertEquals(s.slots(), ["10:01"]);
});

test("A single read of the past is no sign, however old the one before it is", async () => {
  const { s, backup } = await afterRun({ flavour: TUTORIAL, ...STRICT });
  const newest = s.cronJob;
  for (const minute of ["10:01:10", "10:01:40"]) {
    s.server.restore("cronjobs", backup);
    s.deliverAll();
    s.set(minute);
    await s.settle();
    s.server.restore("cronjobs", newest);
    s.deliverAll();
    await s.settle();
  }
  assertEquals(isHeld(s), false);
});

for (const [name, flavour] of [["with conditions", TUTORIAL], ["without", BATCH]] as [string, Flavour][]) {
  test(`A newer version with an older last time is a loss too (${name})`, async () => {
    const { s, backup } = await afterRun({ flavour, ...STRICT });
    s.server.put("cronjobs", backup);
    s.deliverAll();
    s.set("10:01:30");
    await s.settle();
    s.set("10:01:36");
    await s.comeToRest();
    assert(isHeld(s));
    const ready = s.cronJob.status?.conditions?.find(({ type }) => type === "Ready");
    if (flavour.openStatus) {
      assertEquals([ready?.status, ready?.reason], ["False", "RecordLost"]);
      assertMatch(ready!.message, /resume/);
    }
  });
}

test("A restore that only a refused record shows is noticed, too", async () => {
  const s = new Starting({ flavour: TUTORIAL, ...STRICT });
  await s.comeToRest();
  const backup = s.cronJob;
  s.set("10:01");
  await s.fire();
  await s.settle();
  s.server.restore("cronjobs", backup);
  s.cronJobs.relist([backup]);
  s.jobs.deliver();
  s.set("10:02");
  await s.fire();
  await s.settle().catch(() => {/* its record was refused */});
  await s.settle();
  s.set("10:02:06");
  await s.settle();
  assert(isHeld(s));
});
