import { assertEquals } from "@std/assert";
import { TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import { NAME_HOLD } from "../../src/cronjob/api/annotations.ts";
import { isFreed } from "../../src/cronjob/api/name_hold.ts";
import { admit } from "../../src/cronjob/decision/admission.ts";
import { finalizersFor, holdMsLeft, holdMsOf } from "../../src/cronjob/decision/name_hold.ts";
import type { RunRequest } from "../../src/cronjob/decision/run_request.ts";
import { atLeast, must } from "../support/expected.ts";
import { type Row, table } from "../support/table.ts";
import { test } from "../support/test.ts";
import { at, type Given, world } from "./support/world.ts";

const HOLD_MS = 50_000;

test("With the default flags a name stays taken for 50 s", () => {
  assertEquals(holdMsOf({ leaseDurationMs: 15_000, renewDeadlineMs: 10_000 }), HOLD_MS);
  assertEquals(holdMsOf(undefined), 35_000);
});

const ROWS: readonly Row<[given: Partial<Given>, leftMs: number]>[] = [
  ["whose time no status holds stays taken", {}, 5_000],
  ["whose time the status holds is free", { last: "10:00" }, 0],
  ["that waits in line stays taken", {
    last: "10:30",
    status: { waiting: [{ after: "2026-03-10T09:00:00Z", before: "2026-03-10T10:30:00Z" }] },
  }, 5_000],
  ["whose CronJob is being deleted is free", { deleting: true }, 0],
  ["that a clock ahead may have started stays taken", { jobs: [{ time: "12:00", created: "10:00" }] }, 5_000],
  ["whose time is to come and that the status holds is free", {
    jobs: [{ time: "12:00", created: "10:00" }],
    status: { passedOver: [{ after: "2026-03-10T09:00:00Z", before: "2026-03-10T12:00:00Z" }] },
  }, 0],
  ["that was made days ahead by every clock stays taken", {
    jobs: [{ time: "03-12 12:00", created: "03-12 12:00" }],
  }, 5_000],
  ["that claims to be of a time days ahead is free", { jobs: [{ time: "03-12 12:00", created: "10:00" }] }, 0],
  ["of a start by hand is free", { jobs: [{ name: "report-hand" }] }, 0],
];

table("Once its time is over, the name of a Job", ROWS, (given, leftMs) => {
  const { cronJob, jobs: [child], now } = world(TUTORIAL, { now: "10:01", jobs: [{ time: "10:00" }], ...given });
  const left = (heldMs: number) => holdMsLeft(must(child), cronJob, { now, heldMs, holdMs: HOLD_MS });
  assertEquals([left(0), left(HOLD_MS - 1), left(HOLD_MS)], [HOLD_MS, 1, leftMs]);
});

test("The name of a Job is free once its time is over, where no CronJob is left", () => {
  const { jobs: [child], now } = world(TUTORIAL, { now: "10:01", jobs: [{ time: "10:00" }] });
  assertEquals(holdMsLeft(must(child), undefined, { now, heldMs: HOLD_MS, holdMs: HOLD_MS }), 0);
});

test("The names of the schedule's own Jobs are kept, where the CronJob or the default says so, and never without the flag", () => {
  const scheduled: RunRequest = { trigger: "Schedule", scheduledTime: at("10:00") };
  const finalizers = (neverTwice: boolean | undefined, request: RunRequest = scheduled) => {
    const { cronJob } = world(TUTORIAL, { now: "10:00", spec: { neverTwice } });
    return [undefined, { byDefault: false }, { byDefault: true }].map((mode) => finalizersFor(cronJob, request, mode));
  };
  assertEquals(finalizers(undefined), [undefined, undefined, [NAME_HOLD]]);
  assertEquals(finalizers(true), [undefined, [NAME_HOLD], [NAME_HOLD]]);
  assertEquals(finalizers(false), [undefined, undefined, undefined]);
  assertEquals(finalizers(true, { trigger: "Manual", id: "a", at: at("10:00") }), [undefined, undefined, undefined]);
});

test("A Job that only our finalizer keeps holds back the next run while it has Pods", () => {
  const held = (finalizers: string[], mayHavePods: boolean) => {
    const { cronJob, jobs: [child] } = world(TUTORIAL, {
      now: "11:00",
      spec: { concurrencyPolicy: "Forbid" },
      jobs: [{ time: "10:00", deleting: true }],
    });
    const metadata = { ...must(child).metadata, finalizers };
    return admit(cronJob.settings, [{ ...must(child), metadata, mayHavePods }]).kind;
  };
  assertEquals(held([NAME_HOLD], false), "start");
  assertEquals(held([NAME_HOLD], true), "hold");
  assertEquals(held([NAME_HOLD, "foregroundDeletion"], false), "hold");
});

test("A version of a Job without our finalizer is news for its CronJob where something else changed too", () => {
  const { jobs } = world(TUTORIAL, { now: "10:01", jobs: [{ time: "10:00" }, { time: "10:00", state: "succeeded" }] });
  const [active, ended] = atLeast(2, jobs);
  const held = { ...active, metadata: { ...active.metadata, finalizers: [NAME_HOLD], resourceVersion: "4" } };
  assertEquals(isFreed(active, held), true);
  assertEquals(isFreed(ended, held), false);
  assertEquals(isFreed(held, held), false);
  assertEquals(isFreed(active, undefined), false);
});
