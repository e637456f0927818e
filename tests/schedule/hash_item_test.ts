import { assert, assertEquals, assertThrows } from "@std/assert";
import { parseGrammar } from "../../src/schedule/grammar.ts";
import { ScheduleError } from "../../src/schedule/schedule_error.ts";
import { must } from "../support/expected.ts";
import { test } from "../support/test.ts";

function fields(text: string, hashKey = "default/report") {
  const parsed = parseGrammar(text, { hashKey });
  assert(parsed.kind === "calendar");
  return parsed.fields;
}

test("H stands for the same values for ever", () => {
  const { minute, hour, dayOfMonth, month, dayOfWeek } = fields("H H H H H");
  assertEquals([minute, hour, dayOfMonth, month, dayOfWeek], [[18], [22], [15], [8], [3]]);
  assertEquals(fields("H/15 H(9-17) H(1-7)/3 H(JAN-MAR) H(mon-fri)"), {
    minute: [3, 18, 33, 48],
    hour: [13],
    dayOfMonth: [2, 5],
    month: [2],
    dayOfWeek: [1],
    dayOfMonthStarred: false,
    dayOfWeekStarred: false,
  });
});

test("H depends on the name and on the field, and on nothing else", () => {
  assertEquals(fields("H H * * *").minute, fields("H 5 1 1 1").minute);
  assertEquals(fields("H,H * * * *").minute, fields("H * * * *").minute);
  const pairs = new Set(Array.from({ length: 200 }, (_, i) => {
    const { minute, hour } = fields("H H * * *", `default/job-${i}`);
    return `${minute}:${hour}`;
  }));
  assert(pairs.size > 180, `only ${pairs.size} different times of day for 200 names`);
});

test("H stays inside its range, H/n is evenly spaced, and a step of 1 is one value as in Jenkins", () => {
  for (let i = 0; i < 300; i++) {
    const key = `ns/job-${i}`;
    const { minute, hour, dayOfMonth } = fields("H(10-14) H/6 H * *", key);
    assert(minute.length === 1 && must(minute[0]) >= 10 && must(minute[0]) <= 14);
    assertEquals(hour, [0, 6, 12, 18].map((h) => h + must(hour[0])));
    assert(dayOfMonth.length === 1 && must(dayOfMonth[0]) >= 1 && must(dayOfMonth[0]) <= 28);
    assertEquals(fields("H/1 * * * *", key).minute, fields("H * * * *", key).minute);
  }
});

test("H spreads 1,000 CronJobs over the hour: at most 2.5 times the mean in the fullest minute", () => {
  const naming: ((i: number) => string)[] = [
    (i) => `default/job-${i}`,
    (i) => `team-${i % 50}/backup-${String(i).padStart(4, "0")}`,
    (i) => `${"x".repeat(i % 200)}/a`,
    (i) => `ns-${i}/nightly`,
  ];
  for (const name of naming) {
    const counts = new Array(60).fill(0);
    for (let i = 0; i < 1000; i++) counts[must(fields("H * * * *", name(i)).minute[0])]++;
    assert(Math.max(...counts) <= 2.5 * 1000 / 60, `${name(7)}: ${counts}`);
  }
});

const REFUSED: Readonly<Record<string, string>> = {
  "H(5-60) * * * *": 'minute "H(5-60)": must be 0-59',
  "H(9-5) * * * *": 'minute "H(9-5)": a range must rise',
  "H/61 * * * *": 'minute "H/61": the step after "/" must be at most 60, the number of values',
  "H(0-9)/11 * * * *": 'minute "H(0-9)/11": the step after "/" must be at most 10, the number of values',
  "H/0 * * * *": 'minute "H/0": the step after "/" must be 1 or more',
  "H-5 * * * *": 'minute "H-5": must be H, H/n, H(a-b) or H(a-b)/n',
  "H(5) * * * *": 'minute "H(5)": must be H, H/n, H(a-b) or H(a-b)/n',
  "HH * * * *": 'minute "HH": must be H, H/n, H(a-b) or H(a-b)/n',
  "h * * * *": 'minute "h": must be 0-59',
};

for (const [text, message] of Object.entries(REFUSED)) {
  test(`H: ${message}`, () => {
    assertEquals(assertThrows(() => fields(text), ScheduleError).message, message);
  });
}
