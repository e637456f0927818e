import { assert, assertEquals, assertThrows } from "@std/assert";
import * as fc from "fast-check";
import { parseGrammar } from "../../src/schedule/grammar.ts";
import { parseSchedule } from "../../src/schedule/parse_schedule.ts";
import { ScheduleError } from "../../src/schedule/schedule_error.ts";
import { anyText } from "../support/any_text.ts";
import { test } from "../support/test.ts";

const SIXTY = "1,".repeat(29) + "99";

const MESSAGES: readonly (readonly [schedule: string, message: string])[] = [
  ["0 0 * * 7", 'day-of-week "7": must be 0-6 or SUN-SAT; Sunday is 0'],
  ["60 * * * *", 'minute "60": must be 0-59'],
  ["* * 0 * *", 'day-of-month "0": must be 1-31'],
  ["* * * 13 *", 'month "13": must be 1-12 or JAN-DEC'],
  ["0 0 * * 1,8,2", 'day-of-week "8": in "1,8,2": must be 0-6 or SUN-SAT; Sunday is 0'],
  [`${SIXTY} * * * *`, `minute "99": in "${SIXTY}": must be 0-59`],
  [`${SIXTY}9 * * * *`, `minute "999": in "${SIXTY}…": must be 0-59`],
  ["0 0 * * FRI-MON", 'day-of-week "FRI-MON": a range must rise; write FRI-SAT,SUN-MON'],
  ["0 22-2 * * *", 'hour "22-2": a range must rise; write 22-23,0-2'],
  ["*/0 * * * *", 'minute "*/0": the step after "/" must be 1 or more'],
  ["*/x * * * *", 'minute "*/x": the step after "/" must be a number'],
  ["1/2/3 * * * *", 'minute "1/2/3": must have one "/" at most'],
  ["1-2-3 * * * *", 'minute "1-2-3": a range must have one "-", such as 1-5'],
  ["-5 * * * *", 'minute "-5": must be 0-59; a number is missing'],
  ["H * * * *", 'minute "H": must be 0-59; Kubernetes has no H'],
  [
    "0 0 L * *",
    'day-of-month "L": must be 1-31; Kubernetes has no L, W or # (pick days such as 28-31, and let the Job check the date)',
  ],
  [
    "0 0 0 * * *",
    'schedule "0 0 0 * * *": has 6 fields; must be five fields, "minute hour day-of-month month day-of-week", ' +
    "or a descriptor such as @daily; Kubernetes has no field for seconds or years",
  ],
  ["@DAILY", 'descriptor "@DAILY": write "@daily", in lower case and with nothing around it'],
  [
    "@every 1d",
    'duration "1d": must be numbers with the units h, m, s, ms, us or ns, such as "90s" or "1h30m"; "d" is no unit: write "24h"',
  ],
  ["@every 300000000h", 'duration "300000000h": is too long; the limit is 2562047h47m16.854775807s'],
  ["TZ=Europe/Berlin", 'schedule "TZ=Europe/Berlin": there must be a space and a schedule after the time zone'],
  [
    "CRON_TZ=Europe/Berln 0 0 * * *",
    'time-zone "Europe/Berln": must be a name of the tz database such as Europe/Berlin; did you mean Europe/Berlin?',
  ],
];

for (const [schedule, message] of MESSAGES) {
  test(`parseSchedule() says what is wrong with ${JSON.stringify(schedule)}`, () => {
    assertEquals(assertThrows(() => parseSchedule(schedule), ScheduleError).message, message);
  });
}

test("parseSchedule() carries field, text and remedy in its error", () => {
  const error = assertThrows(() => parseSchedule("0 24 * * *"), ScheduleError);
  assertEquals([error.field, error.text, error.remedy], ["hour", "24", "must be 0-23"]);
});

test("parseSchedule() refuses a prefix beside a time zone", () => {
  const both = () => parseSchedule("TZ=UTC 0 0 * * *", { timeZone: "Europe/Berlin" });
  assertThrows(both, ScheduleError, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead");
});

test("parseSchedule() takes Local in a prefix but not as the time zone", () => {
  parseSchedule("TZ=Local 0 0 * * *");
  assertThrows(() => parseSchedule("0 0 * * *", { timeZone: "Local" }), ScheduleError, 'time-zone "Local"');
});

test("parseSchedule() shares what it read between equal questions", () => {
  const one = parseSchedule("7 3 * * *", { timeZone: "Europe/Berlin" });
  assert(one === parseSchedule("7 3 * * *", { timeZone: "Europe/Berlin", hashKey: "unused/without-h" }));
  assert(one !== parseSchedule("7 3 * * *"));
  assert(one !== parseSchedule("7 3 * * *", { timeZone: "Europe/Berlin", clockChangePolicy: { gap: "RunAfter" } }));
});

test("parseSchedule() knows schedules that never run", () => {
  for (
    const text of [
      "0 0 31 2 *",
      "0 0 30,31 FEB ?",
      "0 0 31 4,6,9,11 *",
      ", 0 * * *",
      "0 , * * *",
      "0 0 * , *",
      "0 0 , * *",
      "0 0 , * ,",
    ]
  ) {
    const schedule = parseSchedule(text);
    assertEquals([schedule.neverRuns, schedule.next(0), schedule.previous(0), schedule.count(0, 1e15)], [
      true,
      undefined,
      undefined,
      0,
    ], text);
    assertEquals([...schedule.between(0, 1e15)], [], text);
  }
  for (const text of ["0 0 31 2 1", "0 0 29 2 *", "0 0 , * 1", "0 0 1 * ,"]) {
    assertEquals(parseSchedule(text).neverRuns, false, text);
  }
});

test("parseGrammar() throws nothing but ScheduleError, whatever it gets", () => {
  const token = fc.constantFrom(
    ...[
      "0",
      "1",
      "59",
      "*",
      "?",
      "/",
      "-",
      ",",
      " ",
      "  ",
      "\t",
      "\u0085",
      "\ufeff",
      "H",
      "H(1-3)",
      "(",
      ")",
      "L",
      "L-",
      "W",
      "#",
      "+",
    ],
    ...[
      "mon",
      "FRİ",
      "jan",
      "@",
      "@every ",
      "@daily",
      "1h",
      ".5s",
      "µs",
      "TZ=",
      "CRON_TZ=",
      "UTC",
      "Europe/Berlin",
      "99999999999999999999",
    ],
  );
  const text = fc.oneof(
    anyText(),
    fc.uint8Array().map((bytes) => new TextDecoder().decode(bytes)),
    fc.uint8Array().map((bytes) => String.fromCharCode(...bytes)),
    fc.array(fc.nat(0xffff)).map((units) => String.fromCharCode(...units)),
    fc.array(token, { maxLength: 12 }).map((tokens) => tokens.join("")),
    fc.array(token, { minLength: 5, maxLength: 5 }).map((tokens) => tokens.join(" ")),
  );
  const grammar = fc.constantFrom("Kubernetes" as const, "Extended" as const);
  fc.assert(
    fc.property(text, fc.option(fc.constant("ns/name"), { nil: undefined }), grammar, (text, hashKey, grammar) => {
      try {
        parseGrammar(text, { hashKey, grammar });
      } catch (error) {
        assert(error instanceof ScheduleError, `${JSON.stringify(text)}: ${error}`);
        assert(error.message.startsWith(`${error.field} "`) && error.message.length < 500, error.message);
      }
    }),
    { numRuns: 5000 },
  );
});

const LONG = 100_000;
const LONG_TEXTS: Readonly<Record<string, string>> = {
  "a list": "1,".repeat(LONG / 2) + " * * * *",
  "a list of stars": "*,".repeat(LONG / 2) + " * * * *",
  "a list of H": "H,".repeat(LONG / 2) + " * * * *",
  "a list of steps": "*/1,".repeat(LONG / 4) + " * * * *",
  "commas": ",".repeat(LONG) + " * * * *",
  "zeros": "0".repeat(LONG) + " * * * *",
  "nines": "9".repeat(LONG) + " * * * *",
  "blanks": " ".repeat(LONG),
  "blanks between": "0" + " ".repeat(LONG) + "0 * * *",
  "blanks after a prefix": "TZ=UTC" + " ".repeat(LONG) + "x",
  "blanks inside a prefix's rest": "TZ=UTC 0" + " ".repeat(LONG) + "x",
  "fields": "0 ".repeat(LONG / 2),
  "slashes": "/".repeat(LONG) + " * * * *",
  "minus signs": "*" + "-".repeat(LONG) + " * * * *",
  "brackets": "H(".repeat(LONG / 2) + " * * * *",
  "a zone": "TZ=" + "a/".repeat(LONG / 2) + " 0 0 * * *",
  "a duration": "@every " + "0s".repeat(LONG / 2),
  "a duration of digits": "@every " + "9".repeat(LONG) + "s",
  "a duration with a long fraction": "@every 1." + "9".repeat(LONG) + "s",
  "a duration without units": "@every " + "1.".repeat(LONG / 2),
  "a descriptor": "@" + "y".repeat(LONG),
  "letters": "x".repeat(LONG),
  "last days": "* * " + "L,".repeat(LONG / 2) + " * *",
  "weekdays of months": "* * * * " + "5#2,".repeat(LONG / 4),
  "L": "* * " + "L".repeat(LONG) + " * *",
  "L-": "* * " + "L-".repeat(LONG / 2) + " * *",
  "digits before W": "* * " + "9".repeat(LONG) + "W * *",
  "digits before L": "* * * * " + "9".repeat(LONG) + "L",
  "a range up to L": "* * " + "9".repeat(LONG) + "-L * *",
  "letters before #L": "* * * * " + "x".repeat(LONG) + "#L",
  "number signs": "* * * * " + "#".repeat(LONG),
};

for (const [name, text] of Object.entries(LONG_TEXTS)) {
  test(`parseSchedule() answers 100 kB of ${name}, with a short message if it refuses`, () => {
    for (const grammar of ["Kubernetes", "Extended"] as const) {
      try {
        parseSchedule(text, { hashKey: "ns/name", grammar });
      } catch (error) {
        assert(error instanceof ScheduleError && error.message.length < 500, String(error));
      }
    }
  });
}
