import { assertEquals } from "@std/assert";
import { missed } from "../../src/schedule/missed_times.ts";
import { parseSchedule } from "../../src/schedule/schedule.ts";
import { test } from "../support/test.ts";

test("missed() finds the Friday runs that kube-controller-manager 1.36 loses", () => {
  const thursday = Date.parse("2026-01-01T17:00:00Z");
  const saturday = Date.parse("2026-01-03T02:08:00Z");
  for (
    const [text, latest, count] of [
      ["*/5 9-17 * * 1-5", "2026-01-02T17:55:00Z", 11 + 9 * 12],
      ["0 9-17 * * 1-5", "2026-01-02T17:00:00Z", 9],
      ["30 6-16/4 * * 1-5", "2026-01-02T14:30:00Z", 3],
    ] as const
  ) {
    assertEquals(missed(parseSchedule(text), thursday, saturday), { latest: Date.parse(latest), count, capped: false });
  }
});
