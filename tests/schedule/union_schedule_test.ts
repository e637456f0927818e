import { assertEquals } from "@std/assert";
import { MOST_COUNTED } from "../../src/schedule/schedule.ts";
import { without } from "../../src/schedule/exclusions/excluding_schedule.ts";
import { readExclusions } from "../../src/schedule/exclusions/read_exclusions.ts";
import { parseSchedule } from "../../src/schedule/parse_schedule.ts";
import { SinceSchedule } from "../../src/schedule/since_schedule.ts";
import { UnionSchedule } from "../../src/schedule/union_schedule.ts";
import { test } from "../support/test.ts";

const FROM = Date.parse("2026-03-27T00:00:30Z");
const TO = Date.parse("2026-04-02T00:00:00Z");

const LISTS: readonly (readonly string[])[] = [
  ["0 6 * * 1-5", "0 9 * * 6,0"],
  ["*/7 * * * *", "*/5 * * * *", "0 * * * *"],
  ["@every 7m", "*/5 * * * *"],
  ["@every 90s", "@every 2m", "30 2 * * *"],
  ["0 0 31 2 *", "15 10 * * *"],
  ["* * * * *", "* * * * *"],
];

test("Several schedules run whenever one of them does, and once where several do", () => {
  for (const list of LISTS) {
    const parts = list.map((text, i) =>
      parseSchedule(text, { timeZone: i % 2 ? "Europe/Berlin" : "UTC" }).anchoredAt(FROM)
    );
    const union = new UnionSchedule(parts);
    const expected = [...new Set(parts.flatMap((part) => [...part.between(FROM, TO)]))].sort((a, b) => a - b);
    const about = list.join("; ");
    assertEquals([...union.between(FROM, TO)], expected, about);
    assertEquals(union.count(FROM, TO), expected.length, about);
    const backwards: number[] = [];
    for (let time = union.previous(TO + 1); time !== undefined && time > FROM; time = union.previous(time)) {
      backwards.unshift(time);
    }
    assertEquals(backwards, expected, about);
  }
});

test("Several schedules never run only if none does", () => {
  const never = parseSchedule("0 0 31 2 *");
  assertEquals(new UnionSchedule([never, never]).neverRuns, true);
  assertEquals(new UnionSchedule([never, never]).next(FROM), undefined);
  assertEquals(new UnionSchedule([never, parseSchedule("0 0 * * *")]).neverRuns, false);
});

test("A schedule that holds since an instant has no time at or before it, and @every counts from there", () => {
  const since = Date.parse("2026-03-27T10:00:00Z");
  const hourly = new SinceSchedule(parseSchedule("0 * * * *"), since);
  assertEquals(hourly.next(0), since + 3_600_000);
  assertEquals(hourly.previous(since + 1), undefined);
  assertEquals(hourly.count(0, since + 7_200_000), 2);
  const every = new SinceSchedule(parseSchedule("@every 7m"), since).anchoredAt();
  assertEquals(every.next(0), since + 420_000);
});

test("Of several schedules no more than 10,000 runs are distinguished", () => {
  const union = new UnionSchedule([parseSchedule("* * * * *"), parseSchedule("0 0 * * *")]);
  assertEquals(union.count(FROM, FROM + 9_999 * 60_000), 9_999);
  assertEquals(union.count(FROM, TO + 10 * 366 * 86_400_000), MOST_COUNTED);
});

test("Several schedules without what is excluded are each of them without it", () => {
  const excluded = readExclusions([{ schedule: "*/30 12 * 2-12 *" }], "UTC");
  const parts = ["0 12 * * *", "30 12 1 * *"].map((text) => without(parseSchedule(text), excluded, "Skip"));
  const union = new UnionSchedule(parts);
  assertEquals(union.next(FROM), Date.parse("2027-01-01T12:00:00Z"));
  assertEquals(union.previous(FROM), Date.parse("2026-01-31T12:00:00Z"));
  const every = without(parseSchedule("@every 24h").anchoredAt(Date.parse("2026-01-01T12:00:00Z")), excluded, "Skip");
  assertEquals(every.next(FROM), Date.parse("2027-01-01T12:00:00Z"));
});
