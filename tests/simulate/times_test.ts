import { assert, assertEquals } from "@std/assert";
import { parseSchedule } from "../../src/schedule/parse_schedule.ts";
import { TimesOfSchedules } from "../../src/simulate/times.ts";
import { test } from "../support/test.ts";

const SECOND = 1_000;
const FROM = Date.parse("2026-03-10T09:00:02Z");
const TO = FROM + 60 * SECOND;

function timesFrom(times: TimesOfSchedules, from: number) {
  const found = times.from(parseSchedule("@every 5s").anchoredAt(from - 5 * SECOND), from, SECOND);
  return { found, seconds: Array.from(found.times).slice(found.first).map((time) => (time - FROM) / SECOND) };
}

test("the times of an interval are worked out once for each grid, wherever on it a caller goes on", () => {
  const times = new TimesOfSchedules({ from: FROM, to: TO });
  const whole = timesFrom(times, FROM + 3 * SECOND);
  assertEquals(whole.seconds, [3, 8, 13, 18, 23, 28, 33, 38, 43, 48, 53, 58]);
  const later = timesFrom(times, FROM + 38 * SECOND);
  assertEquals(later.seconds, [38, 43, 48, 53, 58]);
  assert(later.found.times === whole.found.times);
  assertEquals(timesFrom(times, FROM + 44 * SECOND).seconds, [44, 49, 54, 59]);
  assertEquals(timesFrom(times, FROM - 4 * SECOND).seconds.slice(0, 3), [-4, 1, 6]);
  assertEquals(timesFrom(times, TO + SECOND).seconds, []);
});
