// Runs of the past that are asked for, in both flavours, with the reconciler that carries them out.
import { assert, assertEquals } from "@std/assert";
import { BACKFILL, BACKFILL_PROGRESS } from "../../src/cronjob/api/annotations.ts";
import type { Reprocess } from "../../src/cronjob/api/backfill.ts";
import { type Flavour, FLAVOURS } from "../../src/cronjob/api/flavour.ts";
import type { BackfillSpec } from "../../src/cronjob/api/spec_fields.ts";
import type { BackfillStatus, CronJobSpec } from "../../src/cronjob/api/types.ts";
import { must } from "../support/expected.ts";
import { test } from "../support/test.ts";
import { Crash } from "./support/simulated_server.ts";
import { Starting } from "./support/starting.ts";

/** From 06:00 to 08:59 hourly, while the CronJob is there since 10:00. */
const REQUEST: BackfillSpec = { id: "a", from: "2026-03-10T06:00:00Z", to: "2026-03-10T09:00:00Z" };

function startingWith(
  flavour: Flavour,
  request: Partial<BackfillSpec> = {},
  { spec, ...more }: { spec?: Partial<CronJobSpec>; armed?: string } = {},
): Starting {
  const asked = { ...REQUEST, ...request };
  const schedule = { schedule: "0 * * * *", ...spec };
  return flavour.extrasIn === "spec"
    ? new Starting({ flavour, spec: { ...schedule, backfill: asked }, ...more })
    : new Starting({ flavour, spec: schedule, annotations: { [BACKFILL]: JSON.stringify(asked) }, ...more });
}

/** Which of 11:00, that succeeded, 12:00, that failed, and 13:00, that goes on, are run again. */
const AGAIN: [Reprocess, string[]][] = [["missing", []], ["failed", ["12:00"]], ["all", ["11:00", "12:00"]]];

function progressOf({ flavour, cronJob }: Starting): BackfillStatus | undefined {
  if (flavour.openStatus) return cronJob.status?.backfill;
  const text = cronJob.metadata.annotations?.[BACKFILL_PROGRESS];
  return text === undefined ? undefined : JSON.parse(text);
}

function countsOf(s: Starting) {
  const { state, slots, succeeded, failed, gone, skipped } = progressOf(s)!;
  return { state, slots, succeeded, failed, gone, skipped };
}

/** Ends what is active, one Job after the other, until nothing is started any more. */
async function runOut(s: Starting, end: "Complete" | "Failed" = "Complete"): Promise<void> {
  for (let i = 0; i < 50; i++) {
    await s.comeToRest();
    const active = [...s.server.jobs.values()].filter(({ status }) => !status?.conditions);
    if (active.length === 0) return;
    s.finishJob(must(active[0]), end);
  }
  throw new Error("It never ends");
}

for (const flavour of FLAVOURS) {
  const name = flavour.controllerName;

  test(`A back-fill runs the times of the past, one at a time, and leaves the schedule alone (${name})`, async () => {
    const s = startingWith(flavour);
    await s.comeToRest();
    assertEquals(s.slots(), ["06:00"]);
    s.finish("06:00");
    await s.comeToRest();
    assertEquals(s.slots(), ["06:00", "07:00"]);
    await runOut(s);
    assertEquals(s.slots(), ["06:00", "07:00", "08:00"]);
    assertEquals(countsOf(s), { state: "Completed", slots: 3, succeeded: 3, failed: 0, gone: 0, skipped: 0 });
    const { status } = s.cronJob;
    assertEquals([status?.lastScheduleTime, status?.lastSuccessfulTime, status?.active], [
      undefined,
      undefined,
      undefined,
    ]);
    assertEquals(s.events.filter((event) => event.startsWith("Backfill")), [
      "BackfillStarted: Started back-fill a of 3 scheduled times",
      "BackfillCompleted: Back-fill a is done: 3 succeeded, 0 failed, 0 gone, 0 had run before",
    ]);
    s.set("11:00");
    assertEquals(await s.fire(), ["11:00"]);
    await runOut(s);
    assertEquals(s.cronJob.status?.lastScheduleTime, "2026-03-10T11:00:00Z");
    assertEquals(s.slots().length, 4);
  });

  test(`A back-fill begins with the newest where it is asked to, several at a time (${name})`, async () => {
    const s = startingWith(flavour, { reverse: true, maxActive: 2 });
    await s.comeToRest();
    assertEquals(s.slots(), ["08:00", "07:00"]);
    s.finish("07:00", "Failed");
    await s.comeToRest();
    assertEquals(s.slots(), ["08:00", "07:00", "06:00"]);
    await runOut(s);
    assertEquals(countsOf(s), { state: "Completed", slots: 3, succeeded: 2, failed: 1, gone: 0, skipped: 0 });
  });

  test(`A back-fill passes over what ran, and what still runs (${name})`, async () => {
    const ran = { from: "2026-03-10T11:00:00Z", to: "2026-03-10T14:00:00Z" };
    for (const [reprocess, again] of AGAIN) {
      const s = new Starting({ flavour, spec: { schedule: "0 * * * *", successfulJobsHistoryLimit: 9 } });
      for (const time of ["11:00", "12:00", "13:00"]) {
        s.set(time);
        await s.fire();
        await s.comeToRest();
        if (time !== "13:00") s.finish(time, time === "12:00" ? "Failed" : "Complete");
      }
      await s.comeToRest();
      s.set("13:30");
      s.ask({ ...REQUEST, ...ran, reprocess, maxActive: 9 });
      await s.comeToRest();
      assertEquals(s.slots().slice(3), again, reprocess);
      const names = s.server.created.slice(3).map(({ job }) => job.metadata.name);
      assert(names.every((jobName) => /^c-\d+-r[0-9a-v]{7}$/.test(jobName)), names.join());
      assertEquals(countsOf(s).skipped, 3 - again.length);
    }
  });

  test(`A back-fill survives the end of its process at any moment (${name})`, async () => {
    const fates = ["crashBefore", "crashAfter", "lostBefore", "lostAfter", "serverError"] as const;
    for (const fate of fates) {
      for (let request = 0; request < 12; request++) {
        const s = startingWith(flavour, { maxActive: 2 }, { spec: { successfulJobsHistoryLimit: 0 } });
        s.fates = [...Array(request).fill("ok"), fate];
        for (let i = 0; i < 40 && progressOf(s)?.state !== "Completed"; i++) {
          await s.comeToRest().catch((error) => error instanceof Crash ? s.restart() : undefined);
          s.deliverAll();
          const active = [...s.server.jobs.values()].find(({ status }) => !status?.conditions);
          if (active) s.finishJob(active);
          s.pass(61_000);
        }
        assertEquals([...s.slots()].sort(), ["06:00", "07:00", "08:00"], `${fate} ${request}`);
        const { succeeded, gone } = countsOf(s);
        assertEquals(succeeded + gone, 3, `${fate} ${request}`);
        assertEquals(gone, 0, `${fate} ${request}`);
      }
    }
  });
}

test("A bad request says which field is wrong and what it may say, and runs nothing", async () => {
  const rows: [string, string][] = [
    ["{", "must be JSON, such as {"],
    ["[]", "must be an object, such as {"],
    ["null", "must be an object, such as {"],
    ['{"id":"a","from":"2026-03-10T06:00:00Z"}', "to must be a time from 1970 on, such as 2026-01-02T03:04:05Z"],
    [
      '{"id":"a","from":"yesterday","to":"2026-03-10T09:00:00Z"}',
      "from must be a time from 1970 on, such as 2026-01-02T03:04:05Z",
    ],
    [JSON.stringify({ ...REQUEST, to: REQUEST.from }), "to must be after from, current values are"],
    [JSON.stringify({ ...REQUEST, id: "" }), "id must be a text of 1 to 63 letters, digits"],
    [JSON.stringify({ ...REQUEST, id: 7 }), "id must be a text of 1 to 63 letters, digits"],
    [JSON.stringify({ ...REQUEST, reprocess: "some" }), "reprocess must be one of missing, failed, all"],
    [JSON.stringify({ ...REQUEST, maxActive: 0 }), "maxActive must be a whole number, 1 to 100"],
    [JSON.stringify({ ...REQUEST, maxActive: 101 }), "maxActive must be a whole number, 1 to 100"],
    [JSON.stringify({ ...REQUEST, maxSlots: 1.5 }), "maxSlots must be a whole number, 1 to 100000"],
    [JSON.stringify({ ...REQUEST, reverse: "no" }), "reverse must be true or false"],
    [JSON.stringify({ ...REQUEST, until: 1 }), "unknown field until: id, from, to, reprocess,"],
  ];
  for (const [text, expected] of rows) {
    const s = new Starting({ spec: { schedule: "0 * * * *" }, annotations: { [BACKFILL]: text } });
    await s.comeToRest();
    assertEquals(s.slots(), [], text);
    assertEquals(s.events.length, 1, text);
    const start = `InvalidBackfill: annotation ${BACKFILL} is ignored: ${expected}`;
    assert(must(s.events[0]).startsWith(start), `${s.events[0]} does not start with ${start}`);
  }
});

for (const flavour of FLAVOURS) {
  const name = flavour.controllerName;

  test(`A back-fill of too many times is refused, and the refusal of a larger one asks to name them (${name})`, async () => {
    const s = startingWith(flavour, { from: "2026-01-10T00:00:00Z" });
    await s.comeToRest();
    assertEquals([progressOf(s)?.state, progressOf(s)?.message, s.slots()], [
      "Refused",
      "There are more scheduled times than maxSlots allows: 1000",
      [],
    ]);
    s.ask({ ...REQUEST, id: "b", from: "2026-01-10T00:00:00Z", maxSlots: 1_425 });
    await s.comeToRest();
    assertEquals([progressOf(s)?.state, s.slots()], ["Running", ["01-10 00:00"]]);
  });

  test(`A back-fill ends when its request is taken away, and its Jobs go on (${name})`, async () => {
    const s = startingWith(flavour);
    await s.comeToRest();
    if (flavour.extrasIn === "spec") s.edit({ spec: { backfill: null as never } });
    else s.edit({ metadata: { annotations: { [BACKFILL]: null as never } } });
    await s.comeToRest();
    assertEquals([progressOf(s)?.state, s.server.jobs.size], ["Cancelled", 1]);
    await runOut(s);
    assertEquals(s.slots(), ["06:00"]);
    assert(s.events.some((event) => event.startsWith("BackfillCancelled: Back-fill a was cancelled: 0 succeeded")));
  });

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

  test(`The range of a back-fill stays as it was when it began (${name})`, async () => {
    const s = startingWith(flavour, {}, { spec: { successfulJobsHistoryLimit: 0 } });
    await s.comeToRest();
    s.finish("06:00");
    await s.comeToRest();
    s.ask({ ...REQUEST, to: "2026-03-10T07:30:00Z", reverse: true });
    s.restart();
    await runOut(s);
    assertEquals(s.slots(), ["06:00", "07:00", "08:00"]);
    assertEquals(countsOf(s), { state: "Completed", slots: 3, succeeded: 3, failed: 0, gone: 0, skipped: 0 });
    assert(
      s.events.some((event) => event.startsWith("InvalidBackfill: from, to and reverse of a back-fill that has begun")),
    );
  });

  test(`A back-fill holds while its request can't be read (${name})`, async () => {
    const s = startingWith(flavour);
    await s.comeToRest();
    s.ask({ ...REQUEST, maxActive: 500 });
    s.finish("06:00");
    await s.comeToRest();
    assertEquals([progressOf(s)?.state, s.slots()], ["Running", ["06:00"]]);
    s.ask(REQUEST);
    await runOut(s);
    assertEquals([progressOf(s)?.state, s.slots().length], ["Completed", 3]);
  });

  test(`A run of the past takes another name where its own belongs to another Job (${name})`, async () => {
    const s = startingWith(flavour, { to: "2026-03-10T07:00:00Z" });
    const time = Date.parse("2026-03-10T06:00:00Z") / 1_000 / flavour.nameUnitSeconds;
    s.server.put("jobs", {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name: `c-${time}`, namespace: "default", uid: "foreign" },
      spec: {},
      status: { conditions: [{ type: "Complete", status: "True" }] },
    } as never);
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

  test(`What was started for a back-fill is recorded when its process ends (${name})`, async () => {
    const s = startingWith(flavour);
    s.deliverAll();
    for (let i = 0; i < 2; i++) await s.reconciler.reconcile("default/c", new AbortController().signal);
    await s.reconciler.recordStarted(new AbortController().signal);
    s.removeJobs();
    s.restart();
    await runOut(s);
    assertEquals(s.slots(), ["06:00", "07:00", "08:00"]);
    assertEquals(countsOf(s), { state: "Completed", slots: 3, succeeded: 2, failed: 0, gone: 1, skipped: 0 });
  });

  test(`A server that does not keep what is recorded gets no write after write (${name})`, async () => {
    const s = startingWith(flavour);
    s.server.keepsBackfills = false;
    await s.comeToRest();
    assert(s.server.requests.length <= 4, s.server.requests.join());
    assert(s.events.some((event) => event.startsWith("BackfillNotRecorded: ")));
    assertEquals(s.slots(), []);
  });
}
