import { assertEquals } from "@std/assert";
import * as fc from "fast-check";
import type { Exclusion, OnExcluded } from "../../../src/schedule/exclusions/exclusion.ts";
import { ExcludingSchedule } from "../../../src/schedule/exclusions/excluding_schedule.ts";
import { readExclusions } from "../../../src/schedule/exclusions/read_exclusions.ts";
import { parseSchedule } from "../../../src/schedule/parse_schedule.ts";
import { must } from "../../support/expected.ts";
import { test } from "../../support/test.ts";

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;

const BERLIN = "Europe/Berlin";

/** A small generator with a seed of its own. */
function randomFrom(seed: number): (below: number) => number {
  return (below) => {
    seed = seed * 48_271 % 2_147_483_647;
    return seed % below;
  };
}

const ROUNDS = Number(Deno.env.get("EXCLUSION_ROUNDS") ?? 40);
const CALENDARS = [
  "* * * * *",
  "*/7 3-5 * * 1-5",
  "30 2 * * *",
  "0 */3 * * *",
  "15 10 1,15 * *",
  "@every 37m",
  "0 0 * * 0",
];
const WINDOWS = [
  "0 2 * * *",
  "30 2 * * 0",
  "* 22-23 * * 1-5",
  "0 */4 * * *",
  "15 1 * 3,10 *",
  "0 12 L * *",
  "45 23 * * 5",
];
const DURATIONS = ["1m", "30m", "1h", "5h30m", "24h", "49h"];
/** A daily window of these makes one stretch of a whole month, with two days of another at either end. */
const LOOK_BACK = 40 * DAY;
const ZONES = ["UTC", BERLIN, "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe"];

test("Random exclusions leave exactly what a look at every minute leaves", () => {
  const seed = must(fc.readConfigureGlobal().seed);
  const random = randomFrom(seed);
  const pick = <T>(list: readonly T[]) => must(list[random(list.length)]);
  for (let round = 0; round < ROUNDS; round++) {
    const zone = pick(ZONES);
    // Around a change of the clocks as often as not.
    const around = Date.parse(`${pick(["2026-03-06", "2026-03-27", "2026-10-24", "2026-06-01"])}T00:00Z`);
    const begin = around + random(3 * 1_440) * MINUTE;
    const end = begin + (1 + random(6)) * DAY;
    const dateAt = () => new Date(begin + random(6) * DAY).toISOString().slice(0, 10);
    const exclude = Array.from({ length: 1 + random(3) }, (): Exclusion => {
      if (random(3) === 0) return { dates: [random(2) ? dateAt() : `-${dateAt().slice(4)}`] };
      if (random(3) === 0) {
        const from = begin + random(4 * 1_440) * MINUTE;
        return {
          from: new Date(from).toISOString(),
          to: new Date(from + (1 + random(3_000)) * MINUTE).toISOString(),
        };
      }
      return { schedule: pick(WINDOWS), duration: pick(DURATIONS) };
    });
    const about = JSON.stringify({ seed, round, zone, exclude, begin: new Date(begin), end: new Date(end) });
    const text = pick(CALENDARS);
    const base = parseSchedule(text, { timeZone: zone }).anchoredAt(around - 8 * DAY);
    const isExcluded = excludedMinutes(exclude, zone, around - LOOK_BACK, around + 22 * DAY);
    for (const on of ["Skip", "RunAfter"] as const) {
      const schedule = new ExcludingSchedule(base, readExclusions(exclude, zone), on).anchoredAt(around - 8 * DAY);
      const expected = expectedTimes([...base.between(around - LOOK_BACK, around + 18 * DAY)], isExcluded, on)
        .filter((time) => begin < time && time <= end);
      assertEquals([...schedule.between(begin, end)], expected, `${text} ${on} ${about}`);
      assertEquals(schedule.count(begin, end), expected.length, `count ${text} ${on} ${about}`);
      const backwards: number[] = [];
      for (let time = schedule.previous(end + 1); time !== undefined && time > begin; time = schedule.previous(time)) {
        backwards.unshift(time);
      }
      assertEquals(backwards, expected, `previous ${text} ${on} ${about}`);
    }
  }
});

type IsExcluded = (minute: number) => boolean;

const days = new Map<string, string[]>();

/** The date of each minute from then on, by the wall clock that Intl shows. */
function datesOf(zone: string, from: number, to: number): string[] {
  const key = `${zone} ${from} ${to}`;
  let known = days.get(key);
  if (known === undefined) {
    const format = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short" });
    known = [];
    // All zones here differ from UTC by quarters of an hour.
    for (let at = from, date = ""; at < to; at += MINUTE) {
      if (date === "" || at % (15 * MINUTE) === 0) date = format.format(at);
      known.push(date);
    }
    days.set(key, known);
  }
  return known;
}

/** Distinguishes the minutes of the range that are excluded. */
function excludedMinutes(exclude: readonly Exclusion[], zone: string, from: number, to: number): IsExcluded {
  const minutes = new Uint8Array((to - from) / MINUTE);
  const add = (at: number) => void (minutes[(at - from) / MINUTE] = 1);
  for (const { dates, from: start, to: end, schedule, duration = "1m" } of exclude) {
    if (schedule !== undefined) {
      const lasts = durationOf(duration);
      const begins = parseSchedule(schedule, {
        timeZone: zone,
        grammar: "Extended",
        clockChangePolicy: { gap: "RunAfter" },
      });
      let covered = from;
      for (const begin of begins.between(from, to)) {
        for (let at = Math.max(begin, covered); at < begin + lasts; at += MINUTE) add(at);
        covered = Math.max(covered, begin + lasts);
      }
    } else if (dates !== undefined) {
      const isOn = (day: string) =>
        dates.some((date) => date.startsWith("--") ? day.slice(4) === date.slice(1) : day === date);
      const all = datesOf(zone, from, to);
      const on = new Set([...new Set(all)].filter(isOn));
      for (let i = 0; i < all.length; i++) if (on.has(all[i]!)) minutes[i] = 1;
    } else {
      for (let at = Date.parse(start!); at < Date.parse(end!); at += MINUTE) add(at);
    }
  }
  return (minute) => minutes[(minute - from) / MINUTE] === 1;
}

function durationOf(text: string): number {
  const [, hours, minutes] = /^(?:(\d+)h)?(?:(\d+)m)?$/.exec(text)!;
  return (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * MINUTE;
}

function expectedTimes(base: readonly number[], isExcluded: IsExcluded, on: OnExcluded): number[] {
  const minuteOf = (time: number) => Math.floor(time / MINUTE) * MINUTE;
  const left = new Set(base.filter((time) => !isExcluded(minuteOf(time))));
  if (on === "RunAfter") {
    let stretchEnd = -Infinity;
    for (const time of base) {
      let end = minuteOf(time);
      if (end < stretchEnd || !isExcluded(end)) continue;
      while (isExcluded(end)) end += MINUTE;
      left.add(end);
      stretchEnd = end;
    }
  }
  return [...left].sort((a, b) => a - b);
}
