// Compares with a look at every minute, by arithmetic that shares nothing with the program's.
import { assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import type { Exclusion, OnExcluded } from "../../../src/schedule/exclusions/exclusion.ts";
import { ExcludingSchedule } from "../../../src/schedule/exclusions/excluding_schedule.ts";
import { readExclusions } from "../../../src/schedule/exclusions/read_exclusions.ts";
import { parseSchedule } from "../../../src/schedule/parse_schedule.ts";
import { ScheduleError } from "../../../src/schedule/schedule_error.ts";
import { type Row, table } from "../../support/table.ts";
import { test } from "../../support/test.ts";

function excluding(text: string, timeZone: string, exclude: Exclusion[], onExcluded: OnExcluded = "Skip") {
  return new ExcludingSchedule(parseSchedule(text, { timeZone }), readExclusions(exclude, timeZone), onExcluded);
}

function times(text: string, zone: string, exclude: Exclusion[], [from, to]: [string, string], on?: OnExcluded) {
  const found = excluding(text, zone, exclude, on).between(Date.parse(from) - 1, Date.parse(to));
  return [...found].map((time) => new Date(time).toISOString().slice(0, 16));
}

const BERLIN = "Europe/Berlin";

const EXCLUDED: Row<[string, string, Exclusion[], [string, string], string[], string[]]>[] = [
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

table(
  "A schedule runs at no excluded time, and under RunAfter once where a stretch that held one ends",
  EXCLUDED,
  (text, zone, exclude, range, skipped, after) => {
    const anchored = (on: OnExcluded) =>
      [...excluding(text, zone, exclude, on).anchoredAt(0).between(Date.parse(range[0]) - 1, Date.parse(range[1]))]
        .map((time) => new Date(time).toISOString().slice(0, 16));
    assertEquals(anchored("Skip"), skipped);
    assertEquals(anchored("RunAfter"), after);
  },
);

test("Within a stretch that held a time, be it its first instant, the next run under RunAfter is its end", () => {
  const schedule = excluding("0 1 * * *", "UTC", [{ schedule: "0 1 * * *", duration: "2h" }], "RunAfter");
  assertEquals(schedule.next(Date.parse("2026-01-01T02:00Z")), Date.parse("2026-01-01T03:00Z"));
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

test("Excluded stretches that touch are one", () => {
  const [day, night] = [{ dates: ["2026-12-24"] }, { schedule: "0 22 * * *", duration: "4h" }];
  const [from, to] = ["2026-12-24T12:00Z", "2026-12-26T00:00Z"].map((text) => Date.parse(text)) as [number, number];
  const stretches = [...readExclusions([day, night], "UTC").stretches(from, to)];
  assertEquals(
    stretches.map(({ start, end }) => [start, end].map((time) => new Date(time).toISOString().slice(8, 16))),
    [
      ["24T12:00", "25T02:00"],
      ["25T22:00", "26T00:00"],
    ],
  );
});

test("CronJobs that exclude the same share one object", () => {
  const read = () => readExclusions([{ dates: ["--12-31"] }], BERLIN);
  assertStrictEquals(read(), read());
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
    [{ schedule: "0 25 * * *", duration: "1h" }, 'exclude[0].schedule "0 25 * * *": hour "25"'],
    [{ schedule: "@every 1h" }, "exclude[0].schedule"],
    [{ schedule: "0 0 31 2 *" }, "exclude[0].schedule"],
    [{ schedule: "TZ=UTC 0 0 * * *" }, "exclude[0].schedule"],
    [{ schedule: "0 0 * * *", duration: "90s" }, 'exclude[0].duration "90s": must be whole minutes'],
    [{ schedule: "0 0 * * *", duration: "1 hour" }, "exclude[0].duration"],
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

/** Returns a schedule that counts its searches, and the count. */
function counting(text: string, timeZone: string) {
  const asked = { times: 0 };
  const schedule = new Proxy(parseSchedule(text, { timeZone }), {
    get(of, name) {
      if (name === "next" || name === "previous") asked.times++;
      const value = Reflect.get(of, name, of);
      return typeof value === "function" ? value.bind(of) : value;
    },
  });
  return { schedule, asked };
}

test("A search for a time among stretches from one clock change to the next ends after a century, and is not made again", () => {
  const zone = "America/New_York";
  const { schedule: base, asked } = counting("30 2 * * *", zone);
  const all = readExclusions([{ schedule: "0 2 * * *", duration: "24h" }], zone);
  const schedule = new ExcludingSchedule(base, all, "Skip");
  const after = Date.parse("2026-03-06T22:38:00Z");
  assertEquals([schedule.next(after), schedule.next(after + 3_600_000)], [undefined, undefined]);
  assertEquals(asked.times > 100 && asked.times < 210, true, `${asked.times}`);
});

test("A search that comes to where another found nothing ends there, backwards and forwards", () => {
  const { schedule: base, asked } = counting("0 2,3 * * *", "UTC");
  const schedule = new ExcludingSchedule(base, readExclusions([{ schedule: "*/3 * * * *" }], "UTC"), "Skip");
  const [earlier, later] = [Date.parse("2026-01-05T10:00:00Z"), Date.parse("2026-01-08T10:00:00Z")];
  assertEquals([schedule.previous(earlier), schedule.next(later)], [undefined, undefined]);
  asked.times = 0;
  assertEquals([schedule.previous(later), schedule.next(earlier)], [undefined, undefined]);
  assertEquals(asked.times, 14);
});
