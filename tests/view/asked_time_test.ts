import { assertEquals } from "@std/assert";
import { BATCH } from "../../src/cronjob/api/flavour.ts";
import { meantTime, runsAbout } from "../../src/view/explain/asked_time.ts";
import { lookAt } from "../../src/view/look.ts";
import { at, world } from "../cronjob/support/world.ts";
import { test } from "../support/test.ts";

const DAY_MS = 86_400_000;

test("a day means its first scheduled time, and itself where it has none", () => {
  const { cronJob, jobs, now } = world(BATCH, { schedule: "0 6,18 * * 3", now: "10:30" });
  const look = lookAt({ cronJob, jobs, now });
  const [tuesday, wednesday] = [Date.parse("2026-03-10"), Date.parse("2026-03-11")];
  assertEquals(meantTime(look, tuesday, "day"), tuesday);
  assertEquals(meantTime(look, wednesday, "day"), wednesday + 6 * 3_600_000);
});

test("of a day, and of a time by its distance, the runs of the day that follows count too", () => {
  const time = at("10:00");
  assertEquals(runsAbout({ at: time, precision: "exact" }), { until: time });
  for (const precision of ["day", "distance"] as const) {
    assertEquals(runsAbout({ at: time, precision }), { until: time + DAY_MS });
  }
});
