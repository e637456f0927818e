import { assertEquals } from "@std/assert";
import type { ClockChangePolicy } from "../../src/schedule/schedule.ts";
import { touchedClockChanges } from "../../src/schedule/clock_changes.ts";
import { parseTime } from "../../src/base/epoch_ms.ts";
import { parseSchedule } from "../../src/schedule/parse_schedule.ts";
import { SinceSchedule } from "../../src/schedule/since_schedule.ts";
import { localTime } from "../../src/schedule/time_zone.ts";
import { atLeast } from "../support/expected.ts";
import { test } from "../support/test.ts";

const ZONE = "Europe/Berlin";
/** The clocks go from 02:00 to 03:00. */
const SPRING = ["2026-03-28T12:00:00Z", "2026-03-29T12:00:00Z"] as const;
/** The clocks go from 03:00 back to 02:00. */
const AUTUMN = ["2026-10-24T12:00:00Z", "2026-10-25T12:00:00Z"] as const;

const CASES: readonly {
  what: string;
  text: string;
  policy: Partial<ClockChangePolicy>;
  around: readonly [string, string];
  runs: string[];
}[] = [
  { what: "skips a local time that does not exist", text: "30 2 * * *", policy: {}, around: SPRING, runs: [] },
  {
    what: "runs a skipped time at the first instant after the gap",
    text: "30 2 * * *",
    policy: { gap: "RunAfter" },
    around: SPRING,
    runs: ["03:00:00+02:00"],
  },
  {
    what: "runs once after the gap for all the times in it",
    text: "0,20,40 2 * * *",
    policy: { gap: "RunAfter" },
    around: SPRING,
    runs: ["03:00:00+02:00"],
  },
  {
    what: "does not run twice where a run stands at the end of the gap",
    text: "0 2-4 * * *",
    policy: { gap: "RunAfter" },
    around: SPRING,
    runs: ["03:00:00+02:00", "04:00:00+02:00"],
  },
  {
    what: "leaves runs at the edges of the gap alone",
    text: "59 1 * * *",
    policy: { gap: "RunAfter" },
    around: SPRING,
    runs: ["01:59:00+01:00"],
  },
  {
    what: "runs a repeated time twice",
    text: "30 2 * * *",
    policy: {},
    around: AUTUMN,
    runs: ["02:30:00+02:00", "02:30:00+01:00"],
  },
  {
    what: "runs a repeated time in the first pass only",
    text: "30 2 * * *",
    policy: { overlap: "First" },
    around: AUTUMN,
    runs: ["02:30:00+02:00"],
  },
  {
    what: "runs a repeated time in the second pass only",
    text: "30 2 * * *",
    policy: { overlap: "Second" },
    around: AUTUMN,
    runs: ["02:30:00+01:00"],
  },
  {
    what: "takes the start of the overlap as repeated, and its end not",
    text: "0 2,3 * * *",
    policy: { overlap: "Second" },
    around: AUTUMN,
    runs: ["02:00:00+01:00", "03:00:00+01:00"],
  },
  {
    what: "leaves a run at the end of the overlap alone",
    text: "0 2,3 * * *",
    policy: { overlap: "First" },
    around: AUTUMN,
    runs: ["02:00:00+02:00", "03:00:00+01:00"],
  },
];

for (const { what, text, policy, around, runs } of CASES) {
  test(`a schedule ${what}: ${text} ${JSON.stringify(policy)}`, () => {
    const schedule = parseSchedule(text, { timeZone: ZONE, clockChangePolicy: policy });
    const [from, to] = atLeast(2, around.map((time) => parseTime(time)!));
    const found = [...schedule.between(from, to)];
    assertEquals(found.map((run) => localTime(run, ZONE).slice(11)), runs);
    assertEquals(schedule.count(from, to), runs.length);
    assertEquals(schedule.previous(to), found.at(-1) ?? schedule.previous(from));
    for (const run of found) assertEquals(schedule.next(run - 1), run);
  });
}

test("touchedClockChanges() names the clock changes that skip or repeat times of the schedule", () => {
  const year = [Date.UTC(2026, 0, 1), Date.UTC(2027, 0, 1)] as const;
  const touched = (text: string) => [...touchedClockChanges(parseSchedule(text, { timeZone: ZONE }), ...year)];
  assertEquals(touched("*/20 2 * * *"), [
    {
      kind: "gap",
      at: Date.parse("2026-03-29T01:00:00Z"),
      firstWall: Date.parse("2026-03-29T02:00:00Z"),
      endWall: Date.parse("2026-03-29T03:00:00Z"),
      matches: 3,
    },
    {
      kind: "overlap",
      at: Date.parse("2026-10-25T01:00:00Z"),
      firstWall: Date.parse("2026-10-25T02:00:00Z"),
      endWall: Date.parse("2026-10-25T03:00:00Z"),
      matches: 3,
    },
  ]);
  const since = new SinceSchedule(parseSchedule("*/20 2 * * *", { timeZone: ZONE }), Date.UTC(2026, 5, 1));
  assertEquals([...touchedClockChanges(since, ...year)].map(({ kind }) => kind), ["overlap"]);
  assertEquals(touched("*/20 3 * * *"), []);
  assertEquals(touched("30 2 1 * *"), []);
  assertEquals(touched("@every 1h"), []);
});
