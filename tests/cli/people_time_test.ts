import { assertEquals, assertThrows } from "@std/assert";
import { readPeopleTime } from "../../src/cli/shared/people_time.ts";
import { ConfigError } from "../../src/cli/errors.ts";
import { formatTime } from "../../src/schedule/epoch_ms.ts";
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
});

test("what is no time is refused with the ways to write one", () => {
  const NONE = ["", "soon", "25:00", "08:61", "Foo 08:00", "2026-02-30 08:00", "2x", "d", "2026-03-09"];
  for (const text of [...NONE, "ago", "in ", "in 2h ago", "+2h ago", "9999999999h", "0x2h", "1h 2", "-"]) {
    assertThrows(
      () => readPeopleTime(text, "--at", { now: NOW, zone: "UTC", towards: "past" }),
      ConfigError,
      `--at must be a time such as 02:00, Mon 08:00, 2026-11-21 02:00, 2026-11-21T01:00:00Z or 2h ago, current value is ${text}`,
    );
  }
});
