import { assertEquals } from "@std/assert";
import { PAUSE } from "../../src/cronjob/api/annotations.ts";
import { explain } from "../../src/view/explain/explain.ts";
import { lookAt } from "../../src/view/look.ts";
import { nextRunOf } from "../../src/view/next_run.ts";
import { runHistory } from "../../src/view/run_history.ts";
import { at, BATCH, clockOf, type Given, TUTORIAL, world } from "../cronjob/support/world.ts";
import { must } from "../support/expected.ts";
import { test } from "../support/test.ts";

const NOTE = { by: "ana", since: "2026-03-10T08:30:00Z", until: "2026-03-10T09:30:00Z" };
const PAUSED = { annotations: { [PAUSE]: JSON.stringify(NOTE) } };

test("a time in a pause that has ended is said to have been paused", () => {
  const { cronJob, jobs, now } = world(TUTORIAL, { ...PAUSED, last: "10:00", now: "10:10", jobs: [{ time: "10:00" }] });
  const pauseCheckAt = (time: string) => must(explain({ cronJob, jobs, now }, { at: at(time) }).checks[1]);
  assertEquals(pauseCheckAt("09:00"), { result: "FAIL", message: "paused then: by ana" });
  assertEquals(pauseCheckAt("10:00").result === "FAIL", false);
});

test("what starts at the end of a pause is known, unless an edit of the schedule may have dropped it", () => {
  const next = (more: Partial<Given>) => {
    const { cronJob, jobs, now } = world(BATCH, { ...PAUSED, last: "08:00", now: "09:10", ...more });
    return nextRunOf(lookAt({ cronJob, jobs, now }));
  };
  assertEquals(next({}), {
    kind: "known",
    scheduledTime: at("09:00"),
    startsAt: at("09:30"),
    expected: "Start",
  });
  const edited = { generation: 2, written: [{ at: "09:05", fields: ["schedule"] }] };
  assertEquals(next(edited)?.kind, "unknown");
});

test("history lists what was passed over as missed, and neither what a pause held back nor what came before an edit", () => {
  const status = { passedOver: [{ after: "2026-03-10T06:00:00Z", before: "2026-03-10T12:00:00Z" }] };
  const missed = (more: Partial<Given>) => {
    const { cronJob, jobs, now } = world(TUTORIAL, { last: "12:00", now: "12:10", status, ...more });
    const runs = runHistory(lookAt({ cronJob, jobs, now }));
    return runs.map(({ scheduledTime, outcome, reason }) => `${clockOf(scheduledTime!)} ${outcome} ${reason}`);
  };
  const all = ["11:00", "10:00", "09:00", "08:00", "07:00"].map((time) => `${time} Missed PassedOver`);
  const early = { created: "05:00" };
  assertEquals(missed(early), all);
  assertEquals(missed({ ...early, ...PAUSED }), all.filter((text) => !text.startsWith("09:00")));
  const conditions = [{ type: "Ready", status: "True" as const, reason: "Scheduled", message: "" }];
  const followed = conditions.map((one) => ({ ...one, lastTransitionTime: "2026-03-10T09:30:00Z" }));
  assertEquals(missed({ ...early, status: { ...status, conditions: followed } }), all.slice(0, 2));
});
