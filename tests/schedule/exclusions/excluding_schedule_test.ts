// Compares with a look at every minute, by arithmetic that shares nothing with the program's.
import { assertEquals, assertThrows } from "@std/assert";
import { ExcludingSchedule, type OnExcluded } from "../../../src/schedule/exclusions/excluding_schedule.ts";
import { type Exclusion, readExclusions } from "../../../src/schedule/exclusions/read_exclusions.ts";
import { parseSchedule } from "../../../src/schedule/parse_schedule.ts";
import { ScheduleError } from "../../../src/schedule/schedule_error.ts";
import { must } from "../../support/expected.ts";
import { test } from "../../support/test.ts";

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;

function excluding(text: string, timeZone: string, exclude: Exclusion[], onExcluded: OnExcluded = "Skip") {
  return new ExcludingSchedule(parseSchedule(text, { timeZone }), readExclusions(exclude, timeZone), onExcluded);
}

function times(text: string, zone: string, exclude: Exclusion[], [from, to]: [string, string], on?: OnExcluded) {
  const found = excluding(text, zone, exclude, on).between(Date.parse(from) - 1, Date.parse(to));
  return [...found].map((time) => new Date(time).toISOString().slice(0, 16));
}

const BERLIN = "Europe/Berlin";

test("A schedule runs at no excluded time, and under RunAfter once where a stretch that held one ends", async (context) => {
  const rows: [string, string, string, Exclusion[], [string, string], string[], string[]][] = [
    ["a date", "0 6 * * *", BERLIN, [{ dates: ["2026-12-25"] }], ["2026-12-24T00:00Z", "2026-12-26T12:00Z"], [
      "2026-12-24T05:00",
      "2026-12-26T05:00",
    ], ["2026-12-24T05:00", "2026-12-25T23:00", "2026-12-26T05:00"]],
    [
      "a date of each year",
      "0 6 * * *",
      "UTC",
      [{ dates: ["--12-31", "--01-01"] }],
      [
        "2027-12-30T00:00Z",
        "2028-01-02T12:00Z",
      ],
      ["2027-12-30T06:00", "2028-01-02T06:00"],
      ["2027-12-30T06:00", "2028-01-02T00:00", "2028-01-02T06:00"],
    ],
    ["29 February", "0 0 * * *", "UTC", [{ dates: ["--02-29"] }], ["2028-02-28T00:00Z", "2028-03-01T00:00Z"], [
      "2028-02-28T00:00",
      "2028-03-01T00:00",
    ], ["2028-02-28T00:00", "2028-03-01T00:00"]],
    [
      "a span of dates, the last included",
      "0 12 * * *",
      "UTC",
      [{ from: "2026-08-01", to: "2026-08-03" }],
      [
        "2026-07-31T00:00Z",
        "2026-08-05T00:00Z",
      ],
      ["2026-07-31T12:00", "2026-08-04T12:00"],
      ["2026-07-31T12:00", "2026-08-04T00:00", "2026-08-04T12:00"],
    ],
    [
      "a span of local times, the last not included",
      "0 * * * *",
      BERLIN,
      [
        { from: "2026-08-01T10:00", to: "2026-08-01T12:00" },
      ],
      ["2026-08-01T07:00Z", "2026-08-01T10:00Z"],
      ["2026-08-01T07:00", "2026-08-01T10:00"],
      [
        "2026-08-01T07:00",
        "2026-08-01T10:00",
      ],
    ],
    [
      "a span in UTC",
      "0 * * * *",
      BERLIN,
      [{ from: "2026-08-01T08:00:00Z", to: "2026-08-01T09:30:00Z" }],
      [
        "2026-08-01T07:00Z",
        "2026-08-01T10:00Z",
      ],
      ["2026-08-01T07:00", "2026-08-01T10:00"],
      ["2026-08-01T07:00", "2026-08-01T09:30", "2026-08-01T10:00"],
    ],
    [
      "a window over midnight",
      "0 */2 * * *",
      "UTC",
      [{ schedule: "0 22 * * 5", duration: "8h" }],
      [
        "2026-11-20T20:00Z",
        "2026-11-21T08:00Z",
      ],
      ["2026-11-20T20:00", "2026-11-21T06:00", "2026-11-21T08:00"],
      [
        "2026-11-20T20:00",
        "2026-11-21T06:00",
        "2026-11-21T08:00",
      ],
    ],
    [
      "minutes that a window names",
      "*/15 * * * *",
      "UTC",
      [{ schedule: "* 22-23 * * *" }],
      [
        "2026-11-20T21:45Z",
        "2026-11-21T00:00Z",
      ],
      ["2026-11-20T21:45", "2026-11-21T00:00"],
      ["2026-11-20T21:45", "2026-11-21T00:00"],
    ],
    [
      "a window that begins in a gap begins after it",
      "*/30 * * * *",
      BERLIN,
      [{
        schedule: "30 2 * * *",
        duration: "1h",
      }],
      ["2026-03-29T00:30Z", "2026-03-29T02:30Z"],
      ["2026-03-29T00:30", "2026-03-29T02:00", "2026-03-29T02:30"],
      [
        "2026-03-29T00:30",
        "2026-03-29T02:00",
        "2026-03-29T02:30",
      ],
    ],
    [
      "a window that begins twice",
      "*/30 * * * *",
      BERLIN,
      [{ schedule: "30 2 * * *", duration: "30m" }],
      [
        "2026-10-25T00:00Z",
        "2026-10-25T02:00Z",
      ],
      ["2026-10-25T00:00", "2026-10-25T01:00", "2026-10-25T02:00"],
      [
        "2026-10-25T00:00",
        "2026-10-25T01:00",
        "2026-10-25T02:00",
      ],
    ],
    [
      "an interval",
      "@every 50m",
      "UTC",
      [{ schedule: "0 * * * *", duration: "10m" }],
      [
        "1970-01-01T00:00:01Z",
        "1970-01-01T05:00Z",
      ],
      ["1970-01-01T00:50", "1970-01-01T01:40", "1970-01-01T02:30", "1970-01-01T03:20", "1970-01-01T04:10"],
      [
        "1970-01-01T00:50",
        "1970-01-01T01:40",
        "1970-01-01T02:30",
        "1970-01-01T03:20",
        "1970-01-01T04:10",
      ],
    ],
    [
      "stretches that touch are one",
      "0 * * * *",
      "UTC",
      [
        { schedule: "0 1 * * *", duration: "1h" },
        { schedule: "0 2 * * *", duration: "90m" },
      ],
      ["2026-01-01T00:00Z", "2026-01-01T04:00Z"],
      ["2026-01-01T00:00", "2026-01-01T04:00"],
      [
        "2026-01-01T00:00",
        "2026-01-01T03:30",
        "2026-01-01T04:00",
      ],
    ],
  ];
  for (const [sentence, text, zone, exclude, range, skipped, after] of rows) {
    await context.step(sentence, () => {
      const anchored = (on: OnExcluded) =>
        [...excluding(text, zone, exclude, on).anchoredAt(0).between(Date.parse(range[0]) - 1, Date.parse(range[1]))]
          .map((time) => new Date(time).toISOString().slice(0, 16));
      assertEquals(anchored("Skip"), skipped);
      assertEquals(anchored("RunAfter"), after);
    });
  }
});

test("What excludes everything leaves no run, and costs no time to find out", () => {
  for (const on of ["Skip", "RunAfter"] as const) {
    for (const window of [{ schedule: "* * * * *" }, { schedule: "0 */4 * * *", duration: "330m" }]) {
      const schedule = excluding("0 6 * * *", BERLIN, [window], on);
      assertEquals(schedule.next(Date.parse("2026-01-01T00:00Z")), undefined);
      assertEquals(schedule.previous(Date.parse("2026-01-01T00:00Z")), undefined);
      assertEquals(schedule.count(Date.parse("2025-01-01T00:00Z"), Date.parse("2026-01-01T00:00Z")), 0);
      assertEquals(schedule.count(Date.parse("2025-07-01T00:00Z"), Date.parse("2025-07-03T07:00Z")), 0);
    }
  }
  assertEquals(times("0 0 1 1 *", "UTC", [{ dates: ["--01-01"] }], ["2026-01-01T00:00Z", "2040-01-01T00:00Z"]), []);
});

test("What excludes one time after the other leaves no run either", () => {
  for (const text of ["*/2 * * * *", "0 * * * *", "0 6 * * *"]) {
    const schedule = excluding(text, BERLIN, [{ schedule: text }]);
    assertEquals(schedule.next(Date.parse("2026-01-01T00:00Z")), undefined);
    assertEquals(schedule.previous(Date.parse("2026-01-01T00:00Z")), undefined);
  }
  const yearly = excluding("0 6 * * *", BERLIN, [{ schedule: "0 6 * 2-12 *" }, { schedule: "0 6 2-31 1 *" }]);
  assertEquals(yearly.next(Date.parse("2026-01-01T12:00Z")), Date.parse("2027-01-01T05:00Z"));
  assertEquals(yearly.previous(Date.parse("2025-12-31T12:00Z")), Date.parse("2025-01-01T05:00Z"));
});

test("Exclusions reach to the last instant that there is", () => {
  const exclude = [{ from: "2026-01-01", to: "9999-12-31" }, { dates: ["--12-25"] }];
  assertEquals(excluding("0 6 * * *", BERLIN, exclude).next(Date.parse("2026-01-01T12:00Z")), undefined);
  const christmas = excluding("0 6 25 12 *", BERLIN, [{ dates: ["--12-25"] }]);
  assertEquals(christmas.next(Date.parse("9985-01-01T00:00Z")), undefined);
  const all = Array.from(
    { length: 12 },
    (_, month) =>
      Array.from(
        { length: 29 },
        (_, day) => `--${String(month + 1).padStart(2, "0")}-${String(day + 1).padStart(2, "0")}`,
      ),
  );
  assertEquals(excluding("0 6 28 * *", "UTC", [{ dates: all.flat() }]).next(0), undefined);
});

test("Long windows that begin often cost no more than others", () => {
  const schedule = excluding("0 6 * * *", BERLIN, [{ schedule: "*/5 * * * *", duration: "744h" }]);
  assertEquals(schedule.next(Date.parse("2026-03-01T00:00Z")), undefined);
  assertEquals(schedule.count(Date.parse("2026-03-01T00:00Z"), Date.parse("2026-12-01T00:00Z")), 0);
});

test("A day that a zone lacks is excluded like any other", () => {
  const schedule = excluding("0 12 * * *", "Pacific/Apia", [{ from: "2011-12-30", to: "2011-12-30" }]);
  assertEquals(schedule.count(Date.parse("2011-12-28T00:00Z"), Date.parse("2012-01-02T00:00Z")), 5);
});

test("What can't be an exclusion is refused, with its place and the remedy", () => {
  const refused: [unknown, string][] = [
    [{}, 'exclude[0] "{}": must have either dates'],
    ["2026-01-01", "exclude[0]"],
    [null, "exclude[0]"],
    [{ dates: "2026-01-01" }, "exclude[0]"],
    [{ dates: ["2026-02-30"] }, 'exclude[0].dates[0] "2026-02-30": must be a date'],
    [{ dates: ["2026-01-01", "--13-01"] }, "exclude[0].dates[1]"],
    [{ dates: ["--02-30"] }, "exclude[0].dates[0]"],
    [{ dates: [5] }, "exclude[0].dates[0]"],
    [{ dates: [null] }, "exclude[0].dates[0]"],
    [{ from: "2026-01-01" }, "exclude[0]"],
    [{ from: "2026-01-02", to: "2026-01-01" }, 'exclude[0].to "2026-01-01": must be after from'],
    [{ from: "2026-01-01T25:00", to: "2026-01-02" }, "exclude[0].from"],
    [{ from: "2026-01-01T10:00:30Z", to: "2026-01-02" }, "exclude[0].from"],
    [{ schedule: "0 25 * * *", duration: "1h" }, "exclude[0].schedule"],
    [{ schedule: "@every 1h" }, "exclude[0].schedule"],
    [{ schedule: "0 0 31 2 *" }, "exclude[0].schedule"],
    [{ schedule: "TZ=UTC 0 0 * * *" }, "exclude[0].schedule"],
    [{ schedule: "0 0 * * *", duration: "90s" }, 'exclude[0].duration "90s": must be whole minutes'],
    [{ schedule: "0 0 * * *", duration: "0" }, "exclude[0].duration"],
    [{ schedule: "0 0 * * *", duration: "745h" }, "exclude[0].duration"],
    [{ schedule: "0 0 * * *", dates: ["2026-01-01"] }, "exclude[0]"],
  ];
  const many = Array.from({ length: 1_001 }, () => ({ dates: ["2026-01-01"] }));
  assertThrows(() => readExclusions(many, BERLIN), ScheduleError, "must have at most 1000");
  for (const [entry, message] of refused) {
    assertThrows(() => readExclusions([entry as Exclusion], BERLIN), ScheduleError, message);
  }
});

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
  const seed = 1 + Math.floor(Math.random() * 1e9);
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
    const excluded = excludedMinutes(exclude, zone, around - LOOK_BACK, around + 22 * DAY);
    for (const on of ["Skip", "RunAfter"] as const) {
      const schedule = new ExcludingSchedule(base, readExclusions(exclude, zone), on).anchoredAt(around - 8 * DAY);
      const expected = expectedTimes([...base.between(around - LOOK_BACK, around + 18 * DAY)], excluded, on)
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

test("Over years, counting days as wholes agrees with counting them one by one", () => {
  const [from, to] = [Date.parse("2023-05-03T07:11Z"), Date.parse("2026-11-22T09:00Z")];
  const exclude: Exclusion[] = [
    { schedule: "0 22 * * 5", duration: "30h" },
    { schedule: "*/20 1-4 * * *", duration: "5m" },
    { schedule: "0 0 L * *", duration: "24h" },
    { dates: ["--12-25", "2020-02-29"] },
  ];
  for (const text of ["* * * * *", "*/5 2,22 * * 1,5", "0 0 * * *"]) {
    for (const on of ["Skip", "RunAfter"] as const) {
      const schedule = excluding(text, BERLIN, exclude, on);
      let [sum, at] = [0, from];
      while (at < to) {
        const next = Math.min(to, at + 11 * 3_600_000);
        sum += schedule.count(at, next);
        at = next;
      }
      assertEquals(schedule.count(from, to), sum, `${text} ${on}`);
    }
  }
});

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

/** Every minute of the range that is excluded. */
function excludedMinutes(exclude: readonly Exclusion[], zone: string, from: number, to: number): Set<number> {
  const minutes = new Set<number>();
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
        for (let at = Math.max(begin, covered); at < begin + lasts; at += MINUTE) minutes.add(at);
        covered = Math.max(covered, begin + lasts);
      }
    } else if (dates !== undefined) {
      for (const [i, day] of datesOf(zone, from, to).entries()) {
        const isOn = dates.some((date) => date.startsWith("--") ? day.slice(4) === date.slice(1) : day === date);
        if (isOn) minutes.add(from + i * MINUTE);
      }
    } else {
      for (let at = Date.parse(start!); at < Date.parse(end!); at += MINUTE) minutes.add(at);
    }
  }
  return minutes;
}

function durationOf(text: string): number {
  const [, hours, minutes] = /^(?:(\d+)h)?(?:(\d+)m)?$/.exec(text)!;
  return (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * MINUTE;
}

function expectedTimes(base: readonly number[], excluded: ReadonlySet<number>, on: OnExcluded): number[] {
  const minuteOf = (time: number) => Math.floor(time / MINUTE) * MINUTE;
  const left = new Set(base.filter((time) => !excluded.has(minuteOf(time))));
  if (on === "RunAfter") {
    let stretchEnd = -Infinity;
    for (const time of base) {
      let end = minuteOf(time);
      if (end < stretchEnd || !excluded.has(end)) continue;
      while (excluded.has(end)) end += MINUTE;
      left.add(end);
      stretchEnd = end;
    }
  }
  return [...left].sort((a, b) => a - b);
}
