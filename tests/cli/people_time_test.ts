import { assertEquals, assertThrows } from "@std/assert";
import { readPeopleTime, TIME_EXAMPLES } from "../../src/cli/shared/people_time.ts";
import { ConfigError } from "../../src/cli/errors.ts";
import { formatTime } from "../../src/base/epoch_ms.ts";
import { test } from "../support/test.ts";

/** A Tuesday, 11:20 in Berlin. */
const NOW = Date.parse("2026-03-10T10:20:00Z");

const PAST: readonly (readonly [text: string, zone: string, at: string])[] = [
  ["2026-03-09T08:00:00Z", "UTC", "2026-03-09T08:00:00Z"],
  ["2026-03-09T08:00:00+01:00", "UTC", "2026-03-09T07:00:00Z"],
  ["2026-03-09 08:00", "Europe/Berlin", "2026-03-09T07:00:00Z"],
  ["2026-03-09T08:00", "Europe/Berlin", "2026-03-09T07:00:00Z"],
  ["2026-03-09 08:00:30", "UTC", "2026-03-09T08:00:30Z"],
  ["08:00", "UTC", "2026-03-10T08:00:00Z"],
  ["8:00", "UTC", "2026-03-10T08:00:00Z"],
  ["12:00", "UTC", "2026-03-09T12:00:00Z"],
  ["11:20", "Europe/Berlin", "2026-03-10T10:20:00Z"],
  ["11:21", "Europe/Berlin", "2026-03-09T10:21:00Z"],
  ["Mon 08:00", "UTC", "2026-03-09T08:00:00Z"],
  ["tuesday 08:00", "UTC", "2026-03-10T08:00:00Z"],
  ["Tue 12:00", "UTC", "2026-03-03T12:00:00Z"],
  ["2h", "UTC", "2026-03-10T08:20:00Z"],
  ["1d 2h", "UTC", "2026-03-09T08:20:00Z"],
  ["90m", "UTC", "2026-03-10T08:50:00Z"],
  ["2h ago", "UTC", "2026-03-10T08:20:00Z"],
  ["1d 2h ago", "UTC", "2026-03-09T08:20:00Z"],
  ["-90s", "UTC", "2026-03-10T10:18:30Z"],
  ["in 2h", "UTC", "2026-03-10T12:20:00Z"],
  ["+2h", "UTC", "2026-03-10T12:20:00Z"],
  ["2026-03-29 02:30", "Europe/Berlin", "2026-03-29T01:00:00Z"],
  ["tomorrow 02:00", "Europe/Berlin", "2026-03-11T01:00:00Z"],
  ["yesterday 02:00", "Europe/Berlin", "2026-03-09T01:00:00Z"],
  ["Yesterday at 2:00", "UTC", "2026-03-09T02:00:00Z"],
  ["today 14:30", "Europe/Berlin", "2026-03-10T13:30:00Z"],
  ["today", "Europe/Berlin", "2026-03-09T23:00:00Z"],
  ["yesterday", "Europe/Berlin", "2026-03-08T23:00:00Z"],
  ["2026-03-08", "Europe/Berlin", "2026-03-07T23:00:00Z"],
  ["mon", "Europe/Berlin", "2026-03-08T23:00:00Z"],
  ["monday 06:00", "UTC", "2026-03-09T06:00:00Z"],
  ["last friday", "UTC", "2026-03-06T00:00:00Z"],
  ["last thurs", "UTC", "2026-03-05T00:00:00Z"],
  ["last tuesday 06:00", "UTC", "2026-03-03T06:00:00Z"],
  ["next tuesday 06:00", "UTC", "2026-03-17T06:00:00Z"],
  ["2 days ago", "UTC", "2026-03-08T10:20:00Z"],
  ["in 1 hour 30 minutes", "UTC", "2026-03-10T11:50:00Z"],
  ["1w", "UTC", "2026-03-03T10:20:00Z"],
];

for (const [text, zone, at] of PAST) {
  test(`"${text}" in ${zone} is ${at} where a time in the past is meant`, () => {
    assertEquals(formatTime(readPeopleTime(text, "--at", { now: NOW, zone, towards: "past" }).at), at);
  });
}

test("times lie in the future where that is meant", () => {
  const read = (text: string) =>
    formatTime(readPeopleTime(text, "--until", { now: NOW, zone: "UTC", towards: "future" }).at);
  assertEquals(read("08:00"), "2026-03-11T08:00:00Z");
  assertEquals(read("Mon 08:00"), "2026-03-16T08:00:00Z");
  assertEquals(read("Tue 08:00"), "2026-03-17T08:00:00Z");
  assertEquals(read("2h"), "2026-03-10T12:20:00Z");
  assertEquals(read("in 1d 2h"), "2026-03-11T12:20:00Z");
  assertEquals(read("-2h"), "2026-03-10T08:20:00Z");
  assertEquals(read("2h ago"), "2026-03-10T08:20:00Z");
  assertEquals(read("yesterday 08:00"), "2026-03-09T08:00:00Z");
  assertEquals(read("tue"), "2026-03-17T00:00:00Z");
});

test("days are those of now, where the rest is looked for after another time", () => {
  const options = { now: NOW, after: NOW + 30 * 3_600_000, zone: "UTC", towards: "future" } as const;
  const read = (text: string) => formatTime(readPeopleTime(text, "--to", options).at);
  assertEquals(["tomorrow 20:00", "20:00", "1h"].map(read), [
    "2026-03-11T20:00:00Z",
    "2026-03-11T20:00:00Z",
    "2026-03-11T17:20:00Z",
  ]);
});

test("it is said how exactly a time is meant", () => {
  const read = (text: string) => readPeopleTime(text, "--at", { now: NOW, zone: "UTC", towards: "past" }).precision;
  assertEquals(["2h", "yesterday", "mon", "yesterday 02:00"].map(read), ["distance", "day", "day", "exact"]);
});

test("what is no time is refused with the ways to write one", () => {
  const NONE = ["", "soon", "25:00", "08:61", "Foo 08:00", "2026-02-30 08:00", "2x", "d", "fri.", "2026-02-30"];
  for (
    const text of [
      ...NONE,
      "ago",
      "in ",
      "in 2h ago",
      "+2h ago",
      "9999999999h",
      "0x2h",
      "1h 2",
      "-",
      "last",
      "last 08:00",
      "last tomorrow",
      "last month",
      "month",
      "last sunny",
    ]
  ) {
    assertThrows(
      () => readPeopleTime(text, "--at", { now: NOW, zone: "UTC", towards: "past" }),
      ConfigError,
      `--at must be a time such as ${TIME_EXAMPLES}, current value is ${text}`,
    );
  }
});

test("every example is understood", () => {
  for (const text of TIME_EXAMPLES.split(/, | or /)) {
    readPeopleTime(text, "--at", { now: NOW, zone: "UTC", towards: "past" });
  }
});
