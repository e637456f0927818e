// What schedules cost. `deno task bench:schedule` prints a table.
import { latestTime } from "../../src/schedule/latest_time.ts";
import { parseSchedule } from "../../src/schedule/parse_schedule.ts";
import type { Schedule } from "../../src/schedule/schedule.ts";
import { ScheduleError } from "../../src/schedule/schedule_error.ts";
import { must } from "../support/expected.ts";

const NOW = Date.parse("2026-06-15T10:17:00Z");
const TEN_YEARS_MS = 3653 * 86_400_000;
const COUNT = 10_000;

/** Schedules that differ in text, and are of the kinds that people write. */
function distinctTexts(count: number, month: number): string[] {
  const kinds = [
    (m: number, h: number, d: number) => `${m} ${h} * ${month}-12 ${d % 7}`,
    (m: number, h: number, d: number) => `${m} ${h} ${d} ${month}-12 *`,
    (m: number, h: number, d: number) => `${m},${(m + 30) % 60} ${h}-23 ${d}-31 ${month}-12 ?`,
    (m: number, h: number, d: number) => `*/${m + 1} ${h} ${d}/2 ${month}-12 1-5`,
  ];
  return Array.from({ length: count }, (_, i) => {
    const n = Math.floor(i / kinds.length);
    return must(kinds[i % kinds.length])(n % 60, Math.floor(n / 60) % 24, 1 + Math.floor(n / 1440) % 28);
  });
}

/** Schedules whose days depend on their month. */
function monthDayTexts(count: number): string[] {
  const kinds = [
    (m: number, h: number, d: number) => `${m} ${h} L-${d} * *`,
    (m: number, h: number, d: number) => `${m} ${h} ${d}W,LW * ?`,
    (m: number, h: number, d: number) => `${m} ${h} * * ${d % 7}#${1 + d % 5}`,
    (m: number, h: number, d: number) => `${m} ${h} ${d} * ${d % 7}L`,
  ];
  return Array.from(
    { length: count },
    (_, i) => must(kinds[i % kinds.length])(i % 60, Math.floor(i / 60) % 24, 1 + i % 28),
  );
}

const rows: [what: string, result: string][] = [];

function perSecond(what: string, count: number, work: (i: number) => void): void {
  const start = performance.now();
  for (let i = 0; i < count; i++) work(i);
  const ms = performance.now() - start;
  rows.push([what, `${Math.round(count / ms * 1000).toLocaleString("en-US")}/s`]);
}

function bestMs(what: string, work: () => unknown): void {
  const times = Array.from({ length: 20 }, () => {
    const start = performance.now();
    work();
    return performance.now() - start;
  }).sort((a, b) => a - b);
  rows.push([what, `first ${times.at(-1)!.toFixed(2)} ms, median ${must(times[10]).toFixed(3)} ms`]);
}

{
  const texts = distinctTexts(COUNT, 4);
  const kept: Schedule[] = [];
  const gc = (globalThis as { gc?: () => void }).gc ?? (() => {});
  gc();
  const before = Deno.memoryUsage().heapUsed;
  for (const text of texts) {
    const schedule = parseSchedule(text, { timeZone: "America/New_York" });
    schedule.next(NOW);
    kept.push(schedule);
  }
  gc();
  const bytes = Deno.memoryUsage().heapUsed - before;
  rows.push([
    `memory, ${kept.length} distinct schedules`,
    `${(bytes / 2 ** 20).toFixed(1)} MiB, ${Math.round(bytes / kept.length)} B each`,
  ]);
}

// Warm up on other texts than those that are measured.
for (const text of distinctTexts(2000, 3)) parseSchedule(text, { timeZone: "Europe/Berlin" }).next(NOW);

for (const [month, timeZone] of [[1, "UTC"], [2, "Europe/Berlin"]] as const) {
  const texts = distinctTexts(COUNT, month);
  perSecond(`parse, distinct, ${timeZone}`, COUNT, (i) => parseSchedule(texts[i] + " ", { timeZone }));
  perSecond(`parse + next, distinct, ${timeZone}`, COUNT, (i) => parseSchedule(must(texts[i]), { timeZone }).next(NOW));
  perSecond(
    `parse + next, shared by all, ${timeZone}`,
    COUNT,
    () => parseSchedule("30 2 * * *", { timeZone }).next(NOW),
  );
}

{
  const texts = monthDayTexts(COUNT);
  const options = { timeZone: "Europe/Berlin", grammar: "Extended" } as const;
  perSecond("parse + next, days that depend on their month, Europe/Berlin", COUNT, (i) => {
    parseSchedule(must(texts[i]), options).next(NOW);
  });
}

for (
  const [what, text, timeZone] of [
    ["densest", "* * * * *", "Europe/Berlin"],
    ["densest of all", "@every 1s", "UTC"],
    ["irregular", "*/5 9-17 * * 1-5", "America/New_York"],
    ["sparsest", "0 0 29 2 *", "Europe/Berlin"],
    ["sparsest", "0 0 29 2 *", "UTC"],
    ["by the month", "0 9 LW,15W * FRI#2", "Europe/Berlin"],
    ["sparsest by the month", "0 0 * 2 1#5", "Europe/Berlin"],
  ] as const
) {
  const schedule = parseSchedule(text, { timeZone, grammar: "Extended" });
  const count = schedule.count(NOW - TEN_YEARS_MS, NOW);
  bestMs(`missed, ten years, ${what} (${text}, ${timeZone}): ${count}`, () => {
    latestTime(schedule, NOW - TEN_YEARS_MS, NOW);
    schedule.count(NOW - TEN_YEARS_MS, NOW);
  });
}

for (
  const [what, text] of [
    ["list", "*/1,".repeat(25_000) + " * * * *"],
    ["bad list", "1,".repeat(49_995) + "60 * * * *"],
    ["duration", "@every " + "0s".repeat(50_000)],
    ["digits", "9".repeat(100_000) + " * * * *"],
  ] as const
) {
  bestMs(`100 kB of ${what}`, () => {
    try {
      parseSchedule(text);
    } catch (error) {
      if (!(error instanceof ScheduleError)) throw error;
    }
  });
}

const width = Math.max(...rows.map(([what]) => what.length));
for (const [what, result] of rows) console.log(`${what.padEnd(width)}  ${result}`);
