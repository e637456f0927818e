// What becomes of a run where others start Jobs too: another client, a former leader, the runs before it.
import { assertEquals } from "@std/assert";
import type { CronJobSpec } from "../../src/cronjob/api/types.ts";
import { TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import { must } from "../support/expected.ts";
import { type Row, table } from "../support/table.ts";
import { test } from "../support/test.ts";
import { Starting } from "./support/starting.ts";
import { jobOf } from "../support/job.ts";

test("A run whose Job another client made counts as started, and only one Job has its name", async () => {
  const starting = new Starting({});
  await starting.comeToRest();
  const name = `c-${Date.parse("2026-03-10T10:01:00Z") / 60_000}`;
  starting.server.put("jobs", jobOf({ name, uid: "other", creationTimestamp: "2026-03-10T10:00:00Z" }));
  starting.set("10:01");
  assertEquals(await starting.fire(), []);
  await starting.comeToRest();
  assertEquals(starting.cronJob.status?.lastScheduleTime, "2026-03-10T10:01:00Z");
  starting.set("10:02");
  assertEquals(await starting.fire(), ["10:02"]);
});

const OTHERS: Row<[spec: Partial<CronJobSpec>, starts: string[]]>[] = [
  ["Allow", {}, ["10:01"]],
  ["Forbid", { concurrencyPolicy: "Forbid" }, []],
  ["Replace", { concurrencyPolicy: "Replace" }, []],
  ["Queue", { concurrencyPolicy: "Queue" }, []],
  ["a limit", { maxConcurrentRuns: 2 }, []],
];

table(
  "While a former leader's Jobs are still being listed, only a run that needs no others starts, and once",
  OTHERS,
  async (spec, starts) => {
    const starting = new Starting({ flavour: TUTORIAL, spec });
    starting.reconciler.foresee(starting.cronJobs.get("default/c")!);
    starting.set("10:01:02");
    assertEquals(await starting.fire({ jobsAreListed: false }), starts);
    await starting.comeToRest();
    assertEquals(starting.slots(), ["10:01"]);
  },
);

test("A former leader's run of this instant, that neither status nor cache shows, is not started again", async () => {
  const former = new Starting({});
  await former.comeToRest();
  former.set("10:01");
  await former.fire();
  const heir = new Starting({});
  heir.reconciler.foresee(heir.cronJobs.get("default/c")!);
  heir.server.put("jobs", must(former.server.created[0]).job);
  heir.set("10:01:02");
  assertEquals(await heir.fire({ jobsAreListed: false }), []);
  await heir.comeToRest();
  assertEquals(heir.slots(), []);
  assertEquals(heir.cronJob.status?.active?.map(({ name }) => name), [
    must(former.server.created[0]).job.metadata.name,
  ]);
});

const HOLDING_BACK: Row<[policy: CronJobSpec["concurrencyPolicy"], isDelivered: boolean, starts: string[]]>[] = [
  ["Forbid, heard of the end", "Forbid", true, ["10:02"]],
  ["Forbid, not heard of the end", "Forbid", false, []],
  ["Queue, heard of the end", "Queue", true, ["10:02"]],
  ["Queue, not heard of the end", "Queue", false, []],
  ["Replace, heard of the end", "Replace", true, ["10:02"]],
  ["Replace, not heard of the end", "Replace", false, ["10:02"]],
];

// At 10:01 one started; at 10:01:59.999 it ended.
table(
  "What another run holds back is judged by what was heard of it",
  HOLDING_BACK,
  async (concurrencyPolicy, isDelivered, starts) => {
    const starting = new Starting({ flavour: TUTORIAL, spec: { concurrencyPolicy } });
    await starting.comeToRest();
    starting.set("10:01");
    assertEquals(await starting.fire(), ["10:01"]);
    await starting.comeToRest();
    starting.set("10:01:59.999");
    starting.finish("10:01");
    if (isDelivered) starting.deliverAll();
    starting.set("10:02");
    assertEquals(await starting.fire(), starts);
    await starting.comeToRest();
    assertEquals(starting.slots(), ["10:01", "10:02"]);
    for (const { job, beside } of starting.server.created) assertEquals(beside, [], job.metadata.name);
  },
);
