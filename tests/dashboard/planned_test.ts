import { assertEquals } from "@std/assert";
import { TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import { plannedTimes } from "../../src/dashboard/reads/planned.ts";
import { lookAt } from "../../src/view/look.ts";
import { at, clockOf, world } from "../cronjob/support/world.ts";
import { test } from "../support/test.ts";

test("the page plans no run after spec.endTime", () => {
  const spec = { endTime: "2026-03-10T13:00:00Z" };
  const { cronJob, jobs, now } = world(TUTORIAL, { now: "10:10", last: "10:00", spec });
  const look = lookAt({ cronJob, jobs, now });
  assertEquals(Array.from(plannedTimes(look).take(10), clockOf), ["11:00", "12:00", "13:00"]);
  assertEquals(Array.from(plannedTimes(look, { from: at("11:30"), to: at("12:00") }), clockOf), ["12:00"]);
});
