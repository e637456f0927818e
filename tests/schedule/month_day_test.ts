import { assert, assertEquals } from "@std/assert";
import { parseSchedule } from "../../src/schedule/parse_schedule.ts";
import { must } from "../support/expected.ts";
import { test } from "../support/test.ts";
import { allDays, DATES, type ModelDay, WEEKDAY_DATES } from "./support/hand_calendar.ts";

const DAY_MS = 86_400_000;
const END = Date.UTC(2101, 0, 1);
const DAYS = allDays();

function extended(text: string) {
  return parseSchedule(text, { grammar: "Extended" });
}

/** The midnights of such days, by looking at every one from 1970 to 2100. */
function midnights({ isOn }: ModelDay): number[] {
  return DAYS.flatMap((day, i) => isOn(day) ? [i * DAY_MS] : []);
}

function runsAreThoseOf(item: ModelDay, text: string): void {
  const schedule = extended(text);
  const expected = midnights(item);
  assert(expected.length > 300, text);
  const forwards: number[] = [];
  for (let run = schedule.next(-1)!; run < END; run = schedule.next(run)!) forwards.push(run);
  const backwards: number[] = [];
  for (let run = schedule.previous(END)!; run >= 0; run = schedule.previous(run)!) backwards.push(run);
  // Compared as text first: a thousand runs of a hundred items are many for a comparison that can show differences.
  if (forwards.join() !== expected.join()) assertEquals(forwards, expected, `next ${text}`);
  if (backwards.reverse().join() !== expected.join()) assertEquals(backwards, expected, `previous ${text}`);
  assertEquals(schedule.count(-1, END - 1), expected.length, text);
  for (let i = 7; i < expected.length; i += 97) {
    assertEquals(schedule.count(must(expected[i - 7]), must(expected[i])), 7, `count ${text}`);
  }
}

test("L, L-n, LW and nW are the days of a calendar made by hand, 1970 to 2100", () => {
  for (const item of DATES) runsAreThoseOf(item, `0 0 ${item.text} * *`);
});

test("weekdays with # and L are the days of a calendar made by hand, 1970 to 2100", () => {
  for (const item of WEEKDAY_DATES) runsAreThoseOf(item, `0 0 * * ${item.text}`);
});

/** Read off a printed calendar. */
const PRINTED: readonly (readonly [text: string, from: string, ...days: string[]])[] = [
  ["0 0 L * *", "2024-02-01", "2024-02-29", "2024-03-31", "2024-04-30"],
  ["0 0 L-3 * *", "2026-02-01", "2026-02-25", "2026-03-28", "2026-04-27"],
  ["0 0 L-28 2 *", "2026-01-01", "2028-02-01", "2032-02-01"],
  ["0 0 L-30 * *", "2026-01-31", "2026-03-01", "2026-05-01", "2026-07-01", "2026-08-01"],
  // 2026-02-28 is a Saturday, 2026-05-31 a Sunday.
  ["0 0 LW * *", "2026-01-31", "2026-02-27", "2026-03-31", "2026-04-30", "2026-05-29"],
  // 2026-08-01 is a Saturday, 2026-11-01 a Sunday.
  ["0 0 1W * *", "2026-07-02", "2026-08-03", "2026-09-01", "2026-10-01", "2026-11-02"],
  ["0 0 15W * *", "2026-02-01", "2026-02-16", "2026-03-16", "2026-04-15"],
  ["0 0 15W 8 *", "2026-01-01", "2026-08-14"],
  ["0 0 30W * *", "2026-01-31", "2026-03-30", "2026-04-30", "2026-05-29"],
  ["0 0 31W * *", "2026-02-01", "2026-03-31", "2026-05-29", "2026-07-31", "2026-08-31", "2026-10-30"],
  ["0 0 29W 2 *", "2026-01-01", "2028-02-29", "2032-02-27", "2036-02-29"],
  ["0 0 * * 5#2", "2026-01-01", "2026-01-09", "2026-02-13", "2026-03-13"],
  ["0 0 * * 5#5", "2026-01-01", "2026-01-30", "2026-05-29", "2026-07-31"],
  ["0 0 * 2 5#5", "2026-01-01", "2036-02-29", "2064-02-29"],
  ["0 0 * 2 1#5", "2072-03-01", "2112-02-29"],
  ["0 0 * * 5L", "2026-01-01", "2026-01-30", "2026-02-27", "2026-03-27"],
  ["0 0 * * 7#1", "2026-01-01", "2026-01-04", "2026-02-01"],
  ["0 0 * * 7L", "2026-01-01", "2026-01-25", "2026-02-22"],
  ["0 0 * * 5-7", "2026-01-01", "2026-01-02", "2026-01-03", "2026-01-04", "2026-01-09"],
  // The day fields are joined by OR unless one is a star.
  ["0 0 1W,L * MON#1", "2026-01-02", "2026-01-05", "2026-01-31", "2026-02-02", "2026-02-28", "2026-03-02"],
  ["0 0 L * 1-5", "2026-01-29", "2026-01-29", "2026-01-30", "2026-01-31", "2026-02-02"],
  ["0 0 13 * FRI#2", "2026-01-01", "2026-01-09", "2026-01-13", "2026-02-13", "2026-03-13"],
  ["0 0 L,* * FRI", "2026-01-01", "2026-01-02", "2026-01-09"],
  ["0 0 L * ?", "2026-01-01", "2026-01-31", "2026-02-28"],
];

for (const [text, from, ...days] of PRINTED) {
  test(`${text} runs on ${days.join(", ")} from ${from} on`, () => {
    const schedule = extended(text);
    const runs: string[] = [];
    let run = Date.parse(from) - 1;
    while (runs.length < days.length) runs.push(new Date(run = schedule.next(run)!).toISOString().slice(0, 10));
    assertEquals(runs, days);
  });
}

test("days that no month has make a schedule that never runs", () => {
  for (
    const text of ["0 0 31W 4,6 *", "0 0 30W 2 *", "0 0 L-30 2,4 *", "0 0 L-29 FEB *", "0 0 29W,30 , *", "0 , L * *"]
  ) {
    const schedule = extended(text);
    assertEquals([schedule.neverRuns, schedule.next(0), schedule.previous(0), schedule.count(0, END)], [
      true,
      undefined,
      undefined,
      0,
    ], text);
  }
  for (const text of ["0 0 L-28 2 *", "0 0 29W 2 *", "0 0 * 2 5#5", "0 0 30W 2 1", "0 0 , * FRIL", "0 0 L * ,"]) {
    assertEquals(extended(text).neverRuns, false, text);
  }
});
