// What the CRDs' schemas refuse, and that they refuse nothing that the controller reads.
import { assert, assertEquals } from "@std/assert";
import { BOUND, DATE_OR_DAY, DURATION, SCHEDULE, type Shape, TIME_ZONE } from "../../src/cronjob/api/patterns.ts";
import { readExclusions } from "../../src/schedule/exclusions/read_exclusions.ts";
import { parseSchedule } from "../../src/schedule/parse_schedule.ts";
import { ScheduleError } from "../../src/schedule/schedule_error.ts";
import { checkTimeZone } from "../../src/schedule/check_time_zone.ts";
import { readVectors } from "../schedule/support/vectors.ts";
import { test } from "../support/test.ts";

const PATTERNS = [SCHEDULE, TIME_ZONE, DATE_OR_DAY, BOUND, DURATION].flatMap(({ rules }) => rules)
  .map(({ pattern }) => pattern);

const compiled = new Map(PATTERNS.map((pattern) => [pattern, new RegExp(pattern, "u")]));
const passes = (text: string, { rules }: Shape) => rules.every(({ pattern }) => compiled.get(pattern)!.test(text));

function isRead(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch (error) {
    if (!(error instanceof ScheduleError)) throw error;
    return false;
  }
}

const isSchedule = (text: string) =>
  isRead(() => parseSchedule(text, { grammar: "Extended", hashKey: "default/report" }));

/** What Kubernetes' grammar lacks; its own texts come from the vectors. */
const GOOD_SCHEDULES: readonly string[] = [
  ...["H H * * *", "H/15 * * * *", "H(0-29)/10 H(1-5) * * *", "0 H H(1-7) H H", "H,30 * * * *", "0 0 * H *"],
  ...["0 0 L * *", "0 0 l * *", "0 0 L-3 * *", "0 0 L-+30 * *", "0 0 LW * *", "0 0 lw,15W,+01w * *", "0 0 1,L * ?"],
  ...["0 0 * * FRI#2", "0 0 * * 5#3", "0 0 * * 7#+5", "0 0 * * FRIL,suNl", "0 0 * * 0L", "0 0 ? * mon-fri,SAT#1"],
  ...["0 0 * * 7", "0 0 * * 1-7/2", "0 0 * * SUN-7", "0 0 * * FRİ", "0 0 *-L * *", "0 0 * * ?-5#2/2"],
  ...["@every 90s", "@every 1h30m", "@every .5h", "@every -5m", "@every 0", "@every 1µs", "@every 1μs", "@hourly"],
  ...[
    "TZ=Europe/Berlin H 2 * * *",
    "CRON_TZ=UTC @daily",
    "TZ= 0 0 * * *",
    "TZ=Local 0 0 * * *",
    "TZ=Etc/GMT+12 @weekly",
  ],
  ...["0\t0 * * *", " 0 0 * * * ", "0\n0\n*\n*\n*", "0\u00a00 * *\u2003*", ",,5,,6, * * * *", "+5 +05 +1 +1 +0"],
];

const BAD_SCHEDULES: readonly string[] = [
  ...["*", "* * *", "* * * *", "* * * * * *", "0 0 12 * * ? 2026", "every day", "daily", "5m", "1h", "0", "0 0"],
  ...["@reboot", "@Daily", "@dayly", "@", "@every", "@every ", "@every 5", "@every 5 m", "@every 1d", "@every  5m"],
  ...["@every five minutes", "@every 1h,30m", "@hourly @daily", "@daily * * * *", "@every 5m * * *", " @daily * * *"],
  ...["60 * * * *", "* 24 * * *", "0 0 0 * *", "0 0 32 * *", "0 0 * 0 *", "0 0 * 13 *", "0 0 * * 8", "99 99 99 99 99"],
  ...["-1 * * * *", "1- * * * *", "-5 * * * *", "1--5 * * * *", "1-2-3 * * * *", "5-60 * * * *", "0 5-24 * * *"],
  ...["*/0 * * * *", "*/ * * * *", "*/x * * * *", "*/-5 * * * *", "*/1/2 * * * *", "/5 * * * *", "5/0 * * * *"],
  ...[
    "a * * * *",
    "* b * * *",
    "* * c * *",
    "* * * d *",
    "* * * * e",
    "0 0 * January *",
    "0 0 * * Monday",
    "0 0 * * SUNDAY",
  ],
  ...[
    "1.5 * * * *",
    "0,5 0;5 * * *",
    "0 0 * * 1&2",
    "$ * * * *",
    "0 0 * * MON+FRI",
    "#0 0 * * *",
    "0 0 * * !",
    "** * * * *",
  ],
  ...["L * * * *", "0 L * * *", "0 0 * L *", "0 0 * * LW", "0 0 * * 15W", "0 0 W * *", "0 0 0W * *", "0 0 32W * *"],
  ...[
    "0 0 L-0 * *",
    "0 0 L-31 * *",
    "0 0 L- * *",
    "0 0 L-LW * *",
    "0 0 15-L * *",
    "0 0 LW/2 * *",
    "0 0 1W-5W * *",
    "0 0 L+1 * *",
  ],
  ...[
    "0 0 * * FRI#0",
    "0 0 * * FRI#6",
    "0 0 * * 8#1",
    "0 0 * * #2",
    "0 0 * * FRI#",
    "0 0 FRI#2 * *",
    "0 0 * * FRI#2#3",
  ],
  ...[
    "h * * * *",
    "H() * * * *",
    "H(5) * * * *",
    "H(1-2 * * * *",
    "H(0-60) * * * *",
    "H-5 * * * *",
    "H5 * * * *",
    "5H * * * *",
  ],
  ...["TZ=UTC", "TZ=UTC ", "TZ=UTC * * * *", "TZ=UTC* * * * *", "TZ=Europe Berlin * * * * *", "tz=UTC * * * * *"],
  ...["CRON_TZ=UTC @dayly", "TZ=UTC+02:00 * * * * *", "TZ=UTC TZ=UTC * * * * *", "TZ:UTC * * * * *", "UTC * * * * *"],
];

/** What only a parser can judge: what is between visible characters, zones, numbers beyond all bounds, and which end is greater. */
const UNTOLD: readonly RegExp[] = [/^$/, /[^ -~]|^ | $/, /TZ=/, /\d{9}/, /\d-\d/, /[a-z]{3}/i];

test("no schedule that the controller reads is refused, and what is let through is what only a parser can refuse", async () => {
  const { parse, next } = await readVectors("trimmed");
  const texts = [...new Set([...[...parse, ...next].map(({ expr }) => expr), ...GOOD_SCHEDULES, ...BAD_SCHEDULES])];
  const good = texts.filter(isSchedule);
  const bad = texts.filter((text) => !isSchedule(text));
  assertEquals(good.filter((text) => !passes(text, SCHEDULE)), []);
  const refused = bad.filter((text) => !passes(text, SCHEDULE));
  assert(
    good.length >= 200 && refused.length >= 200,
    `${good.length} good and ${refused.length} bad texts are too few`,
  );
  const through = bad.filter((text) => !refused.includes(text));
  assertEquals(through.filter((text) => !UNTOLD.some((untold) => untold.test(text))), []);
  assertEquals(GOOD_SCHEDULES.filter((text) => !isSchedule(text)), []);
  assertEquals(BAD_SCHEDULES.filter((text) => !refused.includes(text)), []);
});

test("a schedule as long as an object may be is judged at once", () => {
  const long = (text: string) => text.repeat(400_000);
  const texts = [`${long("0")}x * * * *`, `TZ=UTC${long(" ")}x`, `${long("1,")}x * * * *`, `${long("*-")}/ * * * *`];
  texts.push(`@every ${long("1s")}x`, long("H("), long(" *"), `* *-${long("\t*")} x`);
  const began = performance.now();
  for (const text of texts) passes(text, SCHEDULE);
  // A pattern that goes back over what it has read would take minutes.
  assert(performance.now() - began < 20_000);
});

const isExcluded = (entry: object) => isRead(() => readExclusions([entry], "UTC"));

const OTHERS: readonly {
  what: string;
  shape: Shape;
  reads: (text: string) => boolean;
  good: readonly string[];
  bad: readonly string[];
}[] = [
  {
    what: "time zones",
    shape: TIME_ZONE,
    reads: (text) => text === "" || isRead(() => checkTimeZone(text)),
    good: [
      "",
      "UTC",
      "Europe/Berlin",
      "America/Argentina/Buenos_Aires",
      "Etc/GMT+12",
      "America/Port-au-Prince",
      "W-SU",
    ],
    bad: ["Europe Berlin", "Berlin, Germany", "UTC+02:00", " UTC", "UTC ", "Europe\\Berlin", "Zürich"],
  },
  {
    what: "dates",
    shape: DATE_OR_DAY,
    reads: (text) => isExcluded({ dates: [text] }),
    good: ["2026-12-25", "--12-31", "--02-29", "2028-02-29", "0001-01-01", "9999-12-31"],
    bad: [
      "",
      "2026-13-01",
      "2026-00-01",
      "2026-01-32",
      "2026-01-00",
      "26-12-25",
      "12-31",
      "-12-31",
      "25.12.2026",
      "2026/12/25",
    ]
      .concat("2026-1-1", "2026-12-25T00:00", "Christmas", "2026-12-25\n", " 2026-12-25"),
  },
  {
    what: "ends of spans",
    shape: BOUND,
    reads: (text) => isExcluded({ from: text, to: "9999-12-31" }),
    good: [
      "2026-12-24",
      "2026-12-24T18:00",
      "2026-12-24 18:00",
      "2026-12-24T18:00:00Z",
      "2026-12-24t18:00:00.000+05:45",
    ],
    bad: [
      "",
      "--12-24",
      "2026-12-24T24:00",
      "2026-12-24T18",
      "2026-12-24T18:60",
      "2026-12-24T18:00:30Z",
      "18:00",
      "tomorrow",
    ]
      .concat("2026-12-24T18:00:00", "2026-12-24T18:00Z", "2026-12-24T18:00:00.5Z", "2026-12-24  18:00"),
  },
  {
    what: "durations",
    shape: DURATION,
    reads: (text) => isExcluded({ schedule: "0 0 * * *", duration: text }),
    good: ["1m", "90m", "8h", "1h30m", "+1.5h", "60s", ".5h", "1.h", "744h", "60000ms", "60000000µs", "60000000μs"],
    bad: ["", "0", "-1m", "90", "1d", "1 h", "1h 30m", "PT1H", "1:30", "h", ".m", "8H", "90min", "1,5h"],
  },
];

for (const { what, shape, reads, good, bad } of OTHERS) {
  test(`no good one of these is refused, and the bad ones are: ${what}`, () => {
    assertEquals(good.filter((text) => !reads(text) || !passes(text, shape)), []);
    assertEquals(bad.filter((text) => reads(text) || passes(text, shape)), []);
  });
}

test("the patterns use only what means the same to RE2 and to JavaScript", () => {
  for (const pattern of PATTERNS) {
    const withoutClasses = pattern.replaceAll(/\[(?:[^\]\\]|\\d)*\]/g, "C");
    // Escapes: digits, and what would mean something else. Groups: those that capture nothing.
    assertEquals(withoutClasses.match(/\\[^d.+?*()]/g), null, pattern);
    assertEquals(withoutClasses.match(/\((?!\?:)(?<!\\\()/g), null, pattern);
    assertEquals(withoutClasses.match(/(?<!\\)\./g), null, pattern);
    assertEquals(
      [pattern.at(0), pattern.at(-1), withoutClasses.slice(1, -1).match(/[$^]/g)],
      ["^", "$", null],
      pattern,
    );
  }
});
