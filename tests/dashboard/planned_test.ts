import { assertEquals } from "@std/assert";
import { TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import { plannedRuns } from "../../src/dashboard/reads/planned.ts";
import { timelineOf } from "../../src/dashboard/reads/timeline.ts";
import { type Look, lookAt } from "../../src/view/look.ts";
import { at, clockOf, world } from "../cronjob/support/world.ts";
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
    return [times(look).slice(0, 4), timelineOf(new Map([["a", { input: look.input }]]), span).rows[0]?.planned];
  };
  assertEquals(planned("All"), [["12:00", "13:00", "14:00", "15:00"], ["13:30", "13:30", "14:00", "15:00"].map(at)]);
  assertEquals(planned("Latest"), [["13:00", "14:00", "15:00", "16:00"], ["13:30", "14:00", "15:00"].map(at)]);
});
