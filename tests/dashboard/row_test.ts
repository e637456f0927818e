import { assertEquals } from "@std/assert";
import { BACKFILL } from "../../src/cronjob/api/annotations.ts";
import { type BackfillProgress, writeBackfillProgress } from "../../src/cronjob/api/backfill.ts";
import { TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import { rowOf } from "../../src/dashboard/rows/row.ts";
import { viewOf } from "../../src/view/view_of.ts";
import { at, type Given, world } from "../cronjob/support/world.ts";
import { test } from "../support/test.ts";

function rowFor(given: Given) {
  const { cronJob, jobs, now } = world(TUTORIAL, given);
  return rowOf(cronJob, viewOf({ cronJob, jobs, now }));
}

const ASKED = JSON.stringify({ id: "spring", from: "2026-03-10T00:00:00Z", to: "2026-03-10T08:00:00Z" });

function progress(given: Partial<BackfillProgress>) {
  return writeBackfillProgress({
    id: "spring",
    from: at("00:00"),
    to: at("08:00"),
    state: "Running",
    startTime: at("09:30"),
    slots: 8,
    cursor: at("04:00"),
    active: [{ scheduledTime: at("04:00"), jobName: "a", uid: "u" }],
    succeeded: 2,
    failed: 1,
    gone: 0,
    skipped: 1,
    ...given,
  } as BackfillProgress);
}

test("a row says how far a back-fill has come, until it is over", () => {
  const given = { now: "10:00", annotations: { [BACKFILL]: ASKED } };
  const backfillIn = (status: Given["status"]) => rowFor({ ...given, status }).backfill;
  assertEquals(backfillIn({}), { id: "spring", done: 0 });
  assertEquals(backfillIn({ backfill: progress({ id: "winter", state: "Completed" }) }), { id: "spring", done: 0 });
  assertEquals(backfillIn({ backfill: progress({}) }), { id: "spring", done: 4, of: 8, failed: 1, active: 1 });
  assertEquals(backfillIn({ backfill: progress({ state: "Completed", active: [] }) }), undefined);
  assertEquals(rowFor({ now: "10:00" }).backfill, undefined);
});
