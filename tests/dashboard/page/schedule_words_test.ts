import { assertEquals } from "@std/assert";
import { inWords } from "../../../src/dashboard/page/model/schedule_words.ts";
import { test } from "../../support/test.ts";

const WORDS: readonly (readonly [schedule: string, words: string | undefined])[] = [
  ["0 2 * * *", "At 02:00"],
  ["*/5 * * * *", "Every 5 minutes"],
  ["15 */2 * * *", "At 15 minutes past the hour, every 2 hours"],
  ["0 9 * * MON-FRI", "At 09:00, Monday through Friday"],
  ["@daily", "At 00:00"],
  ["0 0 L * *", "At 00:00, on the last day of the month"],
  ["0 0 LW * *", "At 00:00, on the last weekday of the month"],
  ["0 0 15W * *", "At 00:00, on the weekday nearest day 15 of the month"],
  ["0 0 * * FRI#2", "At 00:00, on the second Friday of the month"],
  ["0 0 * * 5L", "At 00:00, on the last Friday of the month"],
  // What `H` stands for only the program knows.
  ["H 4 * * *", undefined],
  ["H/15 * * * *", undefined],
  ["@every 90s", undefined],
  // Of the day fields either may match.
  ["0 0 13 * 5", undefined],
  ["0 0 L * FRI", undefined],
  // They begin anew each hour, and each day.
  ["*/7 * * * *", undefined],
  ["0 */5 * * *", undefined],
  ["no schedule", undefined],
];

for (const [schedule, words] of WORDS) {
  test(`${schedule} is said as ${words ?? "it stands"}`, () => assertEquals(inWords(schedule), words));
}
