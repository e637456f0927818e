import { assertEquals } from "@std/assert";
import { PRODUCTION, TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import { detailOf } from "../../src/dashboard/reads/detail.ts";
import { plannedRuns } from "../../src/dashboard/reads/planned.ts";
import { timelineOf } from "../../src/dashboard/reads/timeline.ts";
import { type Look, lookAt } from "../../src/view/look.ts";
import { at, clockOf, type Given, world } from "../cronjob/support/world.ts";
import { test } from "../support/test.ts";

const times = (look: Look, span?: Parameters<typeof plannedRuns>[1]) =>
  Array.from(plannedRuns(look, span).take(6), ({ scheduledTime }) => clockOf(scheduledTime));

test("the page plans no run after spec.endTime", () => {
  const spec = { endTime: "2026-03-10T13:00:00Z" };
  const { cronJob, jobs, now } = world(TUTORIAL, { now: "10:10", last: "10:00", spec });
  const look = lookAt({ cronJob, jobs, now });
  assertEquals(times(look), ["11:00", "12:00", "13:00"]);
  assertEquals(times(look, { from: at("11:30"), to: at("12:00") }), ["12:00"]);
});

test("runs that a pause holds back are planned for its end, and those that it passes over for no time", () => {
  const planned = (policy: "All" | "Latest") => {
    const spec = {
      onResume: "Latest" as const,
      catchUp: { policy, maxRuns: 2 },
      pause: { until: "2026-03-10T13:30:00Z" },
    };
    const { cronJob, jobs, now } = world(TUTORIAL, { now: "10:10", last: "08:00", spec });
    const look = lookAt({ cronJob, jobs, now });
    const span = { from: at("10:00"), to: at("15:00") };
    return [times(look).slice(0, 4), timelineOf(new Map([["a", look.input]]), span).rows[0]?.planned];
  };
  assertEquals(planned("All"), [["12:00", "13:00", "14:00", "15:00"], ["13:30", "13:30", "14:00", "15:00"].map(at)]);
  assertEquals(planned("Latest"), [["13:00", "14:00", "15:00", "16:00"], ["13:30", "14:00", "15:00"].map(at)]);
});

/** Scheduled times and starts, where runs are spread by so many seconds. */
function spread(spreadSeconds: number, given: Given, span?: Parameters<typeof plannedRuns>[1]) {
  const { cronJob, jobs, now } = world(TUTORIAL, { ...given, spec: { spreadSeconds, ...given.spec } });
  const runs = plannedRuns(lookAt({ cronJob, jobs, now }), span).take(3);
  return Array.from(runs, ({ scheduledTime, startsAt }) => [clockOf(scheduledTime), clockOf(startsAt)]);
}

test("a run that is spread beyond the end of a pause is planned for its own start", () => {
  const spec = { pause: { until: "2026-03-10T13:05:00Z" } };
  const given = { now: "12:10", last: "11:00", spec };
  assertEquals(spread(3_600, given), [["12:00", "13:05"], ["13:00", "13:13:08"], ["14:00", "14:13:08"]]);
  assertEquals(spread(3_600, { ...given, last: "12:00" }), [
    ["13:00", "13:13:08"],
    ["14:00", "14:13:08"],
    ["15:00", "15:13:08"],
  ]);
  assertEquals(spread(3_600, given, { from: at("13:06"), to: at("14:13") }), [["13:00", "13:13:08"]]);
});

test("a run is planned also where it is spread by more than the interval, and its scheduled time is over", () => {
  assertEquals(spread(7_200, { now: "13:10", last: "11:00" }), [
    ["12:00", "13:13:08"],
    ["13:00", "14:13:08"],
    ["14:00", "15:13:08"],
  ]);
});

test("runs that are spread are planned within a span by their starts", () => {
  assertEquals(spread(7_200, { now: "10:10", last: "10:00" }, { from: at("12:30"), to: at("14:30") }), [
    ["12:00", "13:13:08"],
    ["13:00", "14:13:08"],
  ]);
});

test("among the next runs stands each time that the clocks skip", () => {
  const next = (gap: "Skip" | "RunAfter") => {
    const spec = { timeZone: "Europe/Berlin", clockChangePolicy: { gap } };
    const given = { now: "03-28 12:00", last: "03-28 01:30", schedule: "30 2 * * *", spec };
    const { cronJob, jobs, now } = world(PRODUCTION, given);
    const { nextRuns } = detailOf({ input: { cronJob, jobs, now }, object: cronJob.object, events: undefined });
    return nextRuns.slice(0, 2).map((time) => [
      new Date("skippedAt" in time ? time.skippedAt : time.scheduledTime).toISOString(),
      time.note,
    ]);
  };
  assertEquals(next("Skip"), [
    ["2026-03-29T01:00:00.000Z", "a run is skipped: the clocks go from 2026-03-29T02:00:00 to 03:00:00"],
    ["2026-03-30T00:30:00.000Z", undefined],
  ]);
  assertEquals(next("RunAfter")[0], ["2026-03-29T01:00:00.000Z", "after the gap: the clocks went forward"]);
});
