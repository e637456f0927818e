import { assertEquals, assertThrows } from "@std/assert";
import * as fc from "fast-check";
import { parseSchedule } from "../../src/schedule/parse_schedule.ts";
import { ScheduleError } from "../../src/schedule/schedule_error.ts";
import { isTimeZone, localTime, minuteOf, timeZone } from "../../src/schedule/time_zone.ts";
import { TIME_ZONE_NAMES } from "../../src/schedule/time_zone_names.ts";
import { test } from "../support/test.ts";

test("isTimeZone() takes the names of the tz database, in their case, and no other", () => {
  for (const name of ["UTC", "Europe/Berlin", "Europe/Kyiv", "Europe/Kiev", "EST5EDT", "CET", "Etc/GMT+5", "GMT0"]) {
    assertEquals(isTimeZone(name), true, name);
  }
  for (const name of ["", "Local", "utc", "europe/berlin", "PST", "BST", "IST", "+01:00", "UTC+1", "Europe/", " UTC"]) {
    assertEquals(isTimeZone(name), false, name);
  }
});

test("isTimeZone() takes every zone that Intl lists", () => {
  assertEquals(Intl.supportedValuesOf("timeZone").filter((name) => !isTimeZone(name)), []);
});

test("a browser without Temporal finds the same offset", () => {
  const zones = ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe", "Pacific/Apia"];
  const instants = fc.integer({ min: Date.UTC(1990, 0), max: Date.UTC(2045, 0) });
  fc.assert(
    fc.property(fc.constantFrom(...zones), instants, (zone, at) => {
      const { start, end, offsetMs } = minuteOf(zone, at);
      assertEquals([start <= at, at < end, offsetMs], [true, true, timeZone(zone).periodAt(at).offsetMs]);
    }),
    { numRuns: 300 },
  );
});

test("every zone name gives runs", () => {
  for (const name of TIME_ZONE_NAMES) {
    const run = parseSchedule("0 12 * * *", { timeZone: name }).next(Date.UTC(2026, 5, 1))!;
    assertEquals(localTime(run, name).slice(11, 19), "12:00:00", name);
  }
});

const SUGGESTIONS: Readonly<Record<string, string>> = {
  "europe/berlin": "; did you mean Europe/Berlin?",
  "TUC": "; did you mean UTC?",
  "Europe/Berln": "; did you mean Europe/Berlin?",
  "Mars/Phobos": "",
  "Berlin": "; did you mean Europe/Berlin?",
  "New York": "; did you mean America/New_York?",
  "America/New York": "; did you mean America/New_York?",
  "Asia/Sanghai": "; did you mean Asia/Shanghai?",
  "PST": "; did you mean America/Los_Angeles?",
  "IST": "; did you mean Asia/Kolkata?",
  "+01:00": "; did you mean Etc/GMT-1?",
  "UTC-5": "; did you mean Etc/GMT+5?",
  "+05:30": "",
  "utc": "; did you mean UTC?",
  "qqqqqqqqqq": "",
};

for (const [name, suggestion] of Object.entries(SUGGESTIONS)) {
  test(`a schedule in the unknown zone ${JSON.stringify(name)} is refused${suggestion}`, () => {
    const error = assertThrows(() => parseSchedule("0 0 * * *", { timeZone: name }), ScheduleError);
    assertEquals([error.field, error.remedy], [
      "time-zone",
      `must be a name of the tz database such as Europe/Berlin${suggestion}`,
    ]);
  });
}

test("localTime() shows the wall clock with its offset", () => {
  const instant = Date.parse("2026-03-29T01:00:00Z");
  assertEquals(localTime(instant - 1000, "Europe/Berlin"), "2026-03-29T01:59:59+01:00");
  assertEquals(localTime(instant, "Europe/Berlin"), "2026-03-29T03:00:00+02:00");
  assertEquals(localTime(instant, "UTC"), "2026-03-29T01:00:00Z");
  assertEquals(localTime(instant, "America/St_Johns"), "2026-03-28T22:30:00-02:30");
});

test("TimeZone.periodAt() cuts time at the clock changes, in whatever order it is asked", () => {
  const berlin = timeZone("Europe/Berlin");
  const spring = Date.parse("2031-03-30T01:00:00Z");
  const autumn = Date.parse("2031-10-26T01:00:00Z");
  const summer = { start: spring, end: autumn, offsetMs: 7_200_000 };
  assertEquals(berlin.periodAt(autumn).offsetMs, 3_600_000);
  assertEquals(berlin.periodAt(spring - 1).end, spring);
  assertEquals(berlin.periodAt(spring), summer);
  assertEquals(berlin.periodAt(autumn - 1), summer);
  assertEquals(timeZone("UTC").periodAt(0), { start: -Infinity, end: Infinity, offsetMs: 0 });
});
