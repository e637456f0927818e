// Troubles that a user should hear of, as each decision finds them, and the last time that was missed.
import { assertEquals } from "@std/assert";
import { BATCH, type Flavour, PRODUCTION } from "../../src/cronjob/api/flavour.ts";
import { decide } from "../../src/cronjob/decide.ts";
import { find } from "../../src/cronjob/decision/find.ts";
import { lastMissed } from "../../src/cronjob/status/run_records.ts";
import { troublesOf } from "../../src/cronjob/status/troubles.ts";
import { table } from "../support/table.ts";
import { test } from "../support/test.ts";
import { clockOf, type Given, world } from "./support/world.ts";

const NOTHING_COUNTED = { succeeded: 0, failed: 0, missed: 0, skipped: 0, consecutiveFailures: 0 };

function troublesIn(given: Given, api: Flavour = PRODUCTION): string[] {
  return troublesOf(find(world(api, given))).map(({ kind, id, since }) => `${kind} ${id} since ${clockOf(since)}`);
}

table("troublesOf()", [
  ["none", { last: "09:00", now: "09:30" }, []],
  ["a run missed its deadline", { last: "08:00", now: "09:30", spec: { startingDeadlineSeconds: 60 } }, [
    "missed 2026-03-10T09:00:00Z since 09:00",
  ]],
  ["the time that has passed was one of a suspension", {
    last: "07:00",
    now: "09:30",
    spec: { startingDeadlineSeconds: 60 },
    written: [{ at: "09:20", fields: ["suspend"] }],
  }, []],
  ["a run under Replace was missed, though an older one is active", {
    last: "08:00",
    now: "09:30",
    jobs: [{ time: "08:00" }],
    spec: { startingDeadlineSeconds: 60, concurrencyPolicy: "Replace" },
  }, ["missed 2026-03-10T09:00:00Z since 09:00"]],
  ["a missed time is recorded that has not come", {
    last: "09:00",
    now: "09:30",
    status: { lastMissedTime: "2999-01-01T00:00:00Z" },
  }, []],
  ["an older run was missed, as the status says", {
    last: "10:00",
    now: "10:30",
    status: { counts: NOTHING_COUNTED, lastMissedTime: "2026-03-10T09:00:00Z" },
  }, ["missed 2026-03-10T09:00:00Z since 09:00"]],
  ["two runs were held back", { now: "10:30", spec: { concurrencyPolicy: "Forbid" }, jobs: [{ time: "08:00" }] }, []],
  ["a third run is held back", {
    now: "11:00",
    created: "07:30",
    spec: { concurrencyPolicy: "Forbid" },
    jobs: [{ time: "08:00" }],
  }, ["skipped uid of report-1773129600 since 11:00"]],
  ["two runs are active, of two that may be", {
    now: "11:00",
    created: "07:30",
    spec: { concurrencyPolicy: "Forbid", maxConcurrentRuns: 2 },
    jobs: [{ time: "08:00" }, { time: "09:00" }],
  }, []],
  ["the schedule cannot be read", { now: "09:30", generation: 3, spec: { timeZone: "Nowhere" } }, [
    "not-followed UnknownTimeZone/3/ since 09:30",
  ]],
  ["a Job is refused, just now", {
    last: "08:00",
    now: "09:00:30",
    refusal: { jobName: "report-1773133200", message: "quota", since: "09:00" },
  }, []],
  ["a Job is refused, for a minute", {
    last: "08:00",
    now: "09:01",
    refusal: { jobName: "report-1773133200", message: "quota", since: "09:00" },
  }, ["not-followed FailedCreate/2026-03-10T08:00:00Z since 09:00"]],
  ["a person suspended it", { now: "09:30", spec: { suspend: true } }, []],
  ["a run is late", { last: "08:00", now: "09:02", spec: { expect: { startWithinSeconds: 60 } } }, [
    "late 2026-03-10T09:00:00Z since 09:01",
  ]],
], (given: Given, expected: readonly string[]) => assertEquals(troublesIn(given), expected));

test("the last missed time is recorded, and stays", () => {
  for (const api of [PRODUCTION, BATCH]) {
    const missed = lastMissed(find(world(api, { last: "08:00", now: "09:30", spec: { startingDeadlineSeconds: 60 } })));
    assertEquals(missed, Date.parse("2026-03-10T09:00:00Z"));
  }
  const plan = decide(world(BATCH, { last: "08:00", now: "09:30", spec: { startingDeadlineSeconds: 60 } }));
  assertEquals(plan.kind === "settle" && plan.records.annotations, {
    "cronjob-controller.dev/last-missed-time": "2026-03-10T09:00:00Z",
  });
});

test("of times that were passed over the newest counts, and none that waits", () => {
  const given: Given = {
    created: "04:30",
    last: "05:00",
    now: "09:10",
    jobs: [{ time: "09:00" }],
    status: { counts: NOTHING_COUNTED, recentRuns: [] },
  };
  assertEquals(lastMissed(find(world(PRODUCTION, given))), Date.parse("2026-03-10T08:00:00Z"));
  const inLine: Given = {
    ...given,
    spec: { catchUp: { policy: "All" } },
    status: { ...given.status, waiting: [{ after: "2026-03-10T06:00:00Z", before: "2026-03-10T09:00:00Z" }] },
  };
  assertEquals(lastMissed(find(world(PRODUCTION, inLine))), Date.parse("2026-03-10T06:00:00Z"));
});
