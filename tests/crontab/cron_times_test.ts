import { assertEquals, assertThrows } from "@std/assert";
import * as fc from "fast-check";
import { type CronTimes, readCronTimes } from "../../src/crontab/cron_times.ts";
import { CrontabError } from "../../src/crontab/crontab_error.ts";
import { clockChangePolicyOf, differences } from "../../src/crontab/clock_changes.ts";
import { scheduleText } from "../../src/crontab/schedule_text.ts";
import { KUBERNETES_CLOCK_CHANGES } from "../../src/schedule/schedule.ts";
import { parseSchedule } from "../../src/schedule/parse_schedule.ts";
import { timeZone } from "../../src/schedule/time_zone.ts";
import { test } from "../support/test.ts";

const NOW = Date.parse("2026-11-22T12:00:00Z");

/** What cron takes, and the schedule of Kubernetes that says the same. */
const SCHEDULES: readonly (readonly [crontab: string, schedule: string])[] = [
  ["30 2 * * *", "30 2 * * *"],
  ["*/5 * * * 1-5", "*/5 * * * 1-5"],
  ["05 08 1,15 jan-MAR mon,Wed", "05 08 1,15 jan-MAR mon,Wed"],
  ["0-59/20 0-23/2 * * *", "0-59/20 0-23/2 * * *"],
  ["@daily", "@daily"],
  ["@annually", "@annually"],
  // Sunday is 7, too.
  ["0 5 * * 7", "0 5 * * 0"],
  ["0 5 * * 5-7", "0 5 * * 0,5-6"],
  ["0 5 * * 0-7", "0 5 * * *"],
  ["0 5 * * */3", "0 5 * * */3"],
  ["0 5 * * 1-7/3", "0 5 * * 1,4,0".replace("1,4,0", "0-1,4")],
  // Any star at the front joins the day fields by AND; with Kubernetes only a star alone does.
  ["0 0 */2 * *", "0 0 */2 * *"],
  ["0 0 * * */2", "0 0 * * */2"],
  ["0 0 */1 * 1", "0 0 */1 * 1"],
  ["0 0 13 * 5", "0 0 13 * 5"],
  ["0 0 1-31 * 1", "0 0 * * *"],
  ["0 0 1,* * 1", "0 0 * * *"],
  ["0 0 *,1 * 1", "0 0 * * 1"],
  ["0 0 13 * 0-6", "0 0 * * *"],
  // The ends of a range the wrong way round are nothing.
  ["0 0 1 * 5-1", "0 0 1 * *"],
  ["0 0 31-1 * 5", "0 0 * * 5"],
  ["9-5,30 * * * *", "30 * * * *"],
];

for (const [crontab, schedule] of SCHEDULES) {
  test(`cron's "${crontab}" is "${schedule}", and runs at the same times`, () => {
    assertEquals(scheduleText(crontab, readCronTimes(crontab)), schedule);
    assertSameRuns(crontab, "Europe/Berlin", NOW, NOW + 40 * DAY_MS);
  });
}

const REFUSED: readonly (readonly [crontab: string, reason: string])[] = [
  ["60 * * * *", 'minute "60": must be 0-59'],
  ["* 24 * * *", 'hour "24": must be 0-23'],
  ["* * 0 * *", 'day-of-month "0": must be 1-31'],
  ["* * * 13 *", 'month "13": must be 1-12 or jan-dec'],
  ["* * * * 8", 'day-of-week "8": must be 0-7 or sun-sat'],
  ["* * * * monday", 'day-of-week "monday": must be 0-7 or sun-sat'],
  ["1, * * * *", 'minute "1,": must be 0-59'],
  ["5- * * * *", 'minute "5-": a range must have two ends'],
  ["*/ * * * *", 'minute "*/": the step after "/" must be a number'],
  ["*/0 * * * *", 'minute "*/0": the step after "/" must be a number from 1'],
  ["5/15 * * * *", 'minute "5/15": cron takes a step after a star or a range only: write 5-59/15'],
  ["0~59 * * * *", `minute "0~59": "~59" is cronie's random time`],
  ["1-5-7 * * * *", 'minute "1-5-7": cron ignores "-7": say what is meant'],
  ["0 0 */2 * 1", "one of the day fields begins with a star, so cron wants both to match"],
  ["0 0 1 * */2", "one of the day fields begins with a star, so cron wants both to match"],
  ["30-10 * * * *", "cron never runs it: the ends of a range are the wrong way round"],
  ["0 0 31-1 * *", "cron never runs it"],
  ["@reboot", "@reboot: nothing runs at start-up in Kubernetes"],
  ["@Daily", "@Daily: cron knows @yearly"],
  ["@every_minute", "FreeBSD's: write * * * * *"],
  ["@constructor", "@constructor: cron knows"],
];

for (const [crontab, reason] of REFUSED) {
  test(`"${crontab}" is refused: ${reason}`, () => {
    assertThrows(() => scheduleText(crontab, readCronTimes(crontab)), CrontabError, reason);
  });
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** cron's main loop, minute by minute: what it does when its wall clock has moved by something else than a minute. */
function simulateCron(times: CronTimes, zoneName: string, from: number, to: number): number[] {
  const zone = timeZone(zoneName);
  const runs: number[] = [];
  let virtual = zone.wallAt(from);
  for (let now = from + MINUTE_MS; now <= to; now += MINUTE_MS) {
    const wall = zone.wallAt(now);
    const moved = (wall - virtual) / MINUTE_MS;
    const find = (at: number, which: "wildcard" | "fixed" | "all") => {
      const isMeant = which === "all" || (which === "wildcard") === times.isWildcard;
      if (isMeant && matches(times, at) && runs.at(-1) !== now) runs.push(now);
    };
    if (moved === 1) find(virtual = wall, "all");
    else if (moved > 0) {
      find(wall, "wildcard");
      while (virtual < wall) find(virtual += MINUTE_MS, "fixed");
    } else find(wall, "wildcard");
  }
  return runs;
}

function matches({ fields, days }: CronTimes, wall: number): boolean {
  const date = new Date(wall);
  if (!fields.minute.includes(date.getUTCMinutes()) || !fields.hour.includes(date.getUTCHours())) return false;
  const isDate = fields["day-of-month"].includes(date.getUTCDate());
  const isWeekday = fields["day-of-week"].includes(date.getUTCDay());
  return fields.month.includes(date.getUTCMonth() + 1) && (days === "Both" ? isDate && isWeekday : isDate || isWeekday);
}

/** Around clock changes of an hour, of half an hour, and at midnight. */
const CLOCK_CHANGES: readonly (readonly [zone: string, at: string])[] = [
  ["Europe/Berlin", "2027-03-28T01:00:00Z"],
  ["Europe/Berlin", "2027-10-31T01:00:00Z"],
  ["Australia/Lord_Howe", "2026-10-03T15:30:00Z"],
  ["Australia/Lord_Howe", "2027-04-03T15:00:00Z"],
  ["America/Havana", "2027-03-14T05:00:00Z"],
  ["America/Havana", "2026-11-01T05:00:00Z"],
];

const minute = fc.constantFrom("*", "*/7", "0", "30", "0,30", "0-59", "1-59/2", "*,5");
const hour = fc.constantFrom("*", "*/2", "0", "1", "2", "1-3", "0-23", "23,0");
const dayOfMonth = fc.constantFrom("*", "*/2", "1", "28-31", "1-31", "3,4", "*/1");
const dayOfWeek = fc.constantFrom("*", "*/2", "0", "7", "5-7", "sun,sat", "1-5", "0-6");
const entry = fc.tuple(minute, hour, dayOfMonth, fc.constantFrom("*", "3,10,11", "jan-dec"), dayOfWeek)
  .map((fields) => fields.join(" "));

/** The schedule that is written for an entry runs when cron's main loop runs the entry. */
function assertSameRuns(text: string, zone: string, from: number, to: number): void {
  const times = readCronTimes(text);
  const schedule = parseSchedule(scheduleText(text, times), {
    timeZone: zone,
    clockChangePolicy: clockChangePolicyOf(times) ?? KUBERNETES_CLOCK_CHANGES,
  });
  assertEquals([...schedule.between(from, to)], simulateCron(times, zone, from, to));
}

/** An entry that Kubernetes has a schedule for. */
const understood = entry.filter((text) => {
  try {
    scheduleText(text, readCronTimes(text));
    return true;
  } catch (error) {
    if (error instanceof CrontabError) return false;
    throw error;
  }
});

test("a schedule runs at cron's times, through clock changes where the API has a policy for them", () => {
  fc.assert(
    fc.property(understood, fc.constantFrom(...CLOCK_CHANGES), (text, [zone, at]) => {
      const change = Date.parse(at);
      assertSameRuns(text, zone, change - 5 * 60 * MINUTE_MS, change + 7 * 60 * MINUTE_MS);
      assertSameRuns(text, "UTC", change, change + 40 * DAY_MS);
    }),
    { numRuns: 150 },
  );
});

for (const text of ["0 0 31 2 *", "0 0 30 2 *", "0 0 31 4,6,9,11 *"]) {
  test(`"${text}" is refused: no month has that day`, () => {
    assertThrows(() => scheduleText(text, readCronTimes(text)), CrontabError, "cron never runs it: there is no");
  });
}

test("a leap day is a date, however far it is", () => {
  assertEquals(scheduleText("0 0 29 2 *", readCronTimes("0 0 29 2 *")), "0 0 29 2 *");
});

test("what Kubernetes does otherwise is said of both clock changes", () => {
  const inBerlin = (text: string) => differences(text, readCronTimes(text), "Europe/Berlin", NOW);
  const remedy = "--api cronjob-controller.dev/v1 keeps cron's rule";
  assertEquals(inBerlin("30 2 * * *"), [
    "clock changes: only cron runs it at 2027-03-28T03:00:00+02:00, " +
    `only Kubernetes runs it at 2027-10-31T02:30:00+01:00; ${remedy}`,
  ]);
  assertEquals(inBerlin("0,30 1-4 * * *"), [
    `clock changes: only Kubernetes runs it at 2027-10-31T02:00:00+01:00; ${remedy}`,
  ]);
  assertEquals(inBerlin("*/30 * * * *"), []);
  assertEquals(inBerlin("30 12 * * *"), []);
});
