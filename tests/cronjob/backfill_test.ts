// Runs of the past that are asked for, in both flavours, with the reconciler that carries them out.
import { assert, assertEquals, assertRejects } from "@std/assert";
import { BACKFILL_PROGRESS } from "../../src/cronjob/api/annotations.ts";
import type { Reprocess } from "../../src/cronjob/api/backfill.ts";
import { FLAVOURS } from "../../src/cronjob/api/flavour.ts";
import type { CronJobObject } from "../../src/cronjob/api/types.ts";
import { test } from "../support/test.ts";
import { countsOf, progressOf, REQUEST, runOut, startingWith } from "./support/backfilling.ts";
import { Crash } from "../support/fateful_client.ts";
import { Starting } from "./support/starting.ts";

/** Which of 11:00, that succeeded, 12:00, that failed, and 13:00, that goes on, are run again. */
const AGAIN: [Reprocess, string[]][] = [["missing", []], ["failed", ["12:00"]], ["all", ["11:00", "12:00"]]];

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

  test(`A back-fill of no time is done without a beginning (${name})`, async () => {
    const s = startingWith(flavour, { from: "2026-03-10T06:10:00Z", to: "2026-03-10T06:50:00Z" });
    await s.comeToRest();
    assertEquals([countsOf(s).state, s.slots()], ["Completed", []]);
    assertEquals(s.events.filter((event) => event.startsWith("BackfillStarted")), []);
    assertEquals(progressOf(s)?.message, "There is no scheduled time of the past in the range");
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
          await s.comeToRest().catch((error) => error instanceof Crash ? s.boot() : undefined);
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

  test(`What was started for a back-fill is recorded when its process ends (${name})`, async () => {
    const s = startingWith(flavour);
    s.deliverAll();
    for (let i = 0; i < 2; i++) await s.reconciler.reconcile("default/c", new AbortController().signal);
    await s.reconciler.recordStarted(new AbortController().signal);
    s.removeJobs();
    s.boot();
    await runOut(s);
    assertEquals(s.slots(), ["06:00", "07:00", "08:00"]);
    assertEquals(countsOf(s), { state: "Completed", slots: 3, succeeded: 2, failed: 0, gone: 1, skipped: 0 });
  });

  test(`A run that has ended takes no place in a back-fill, though it is not recorded yet (${name})`, async () => {
    const s = startingWith(flavour, { reverse: true });
    s.fates = ["ok", "crashAfter"];
    await assertRejects(() => s.comeToRest(), Crash);
    s.boot();
    s.finish("08:00");
    s.edit({ spec: { schedule: "30 * * * *" } });
    await runOut(s);
    assertEquals(s.slots(), ["08:00", "08:30", "07:30", "06:30"]);
  });

  test(`A server that does not keep what is recorded gets no write after write (${name})`, async () => {
    const s = startingWith(flavour);
    s.server.prune = ({ status, metadata: { annotations } }: CronJobObject) => {
      delete status?.backfill;
      delete annotations?.[BACKFILL_PROGRESS];
    };
    await s.comeToRest();
    assert(s.server.requests.length <= 4, s.server.requests.join());
    assert(s.events.some((event) => event.startsWith("NotRecorded: ")));
    assertEquals(s.slots(), []);
  });
}
