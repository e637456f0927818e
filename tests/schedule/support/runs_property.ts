// What must hold of the runs of any schedule. Each property looks at `SCHEDULES_A_CASE` schedules in each of `cases` places.
import { assertEquals } from "@std/assert";
import * as fc from "fast-check";
import { FIRST_INSTANT } from "../../../src/base/epoch_ms.ts";
import { latestTime } from "../../../src/schedule/latest_time.ts";
import { parseSchedule } from "../../../src/schedule/parse_schedule.ts";
import { atLeast, must } from "../../support/expected.ts";
import { test } from "../../support/test.ts";
import { anyPolicy, anySchedule, minutesAroundAClockChange, scan } from "./scan.ts";

const SCHEDULES_A_CASE = 40;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

function schedulesWithPolicy() {
  return fc.array(fc.tuple(anySchedule(), anyPolicy()), {
    minLength: SCHEDULES_A_CASE,
    maxLength: SCHEDULES_A_CASE,
    size: "max",
  });
}

/** `next`, `previous`, `between`, `count` and the latest missed run against a look at every minute. */
function runsEqualAScan(cases: number): void {
  const part = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(minutesAroundAClockChange(), schedulesWithPolicy(), part, part, (minutes, schedules, a, b) => {
      // The scan sees a clock change's gap and overlap whole only with some hours on either side.
      const start = minutes.start + 6 * HOUR_MS;
      const end = minutes.start + minutes.walls.length * 60_000 - 6 * HOUR_MS;
      const [from, to] = atLeast(2, [a, b].sort().map((share) => Math.floor(start + share * (end - start))));
      for (const [model, clockChangePolicy] of schedules) {
        const schedule = parseSchedule(model.text, { timeZone: minutes.zone, clockChangePolicy, grammar: "Extended" });
        const all = scan(minutes, model, clockChangePolicy).filter((run) => run > start && run <= end);
        const inside = all.filter((run) => run > from && run <= to);
        const what = `${model.text} ${minutes.zone} ${JSON.stringify(clockChangePolicy)} (${from}, ${to}]`;
        assertEquals([...schedule.between(from, to)], inside, `between ${what}`);
        assertEquals(schedule.count(from, to), inside.length, `count ${what}`);
        assertEquals(latestTime(schedule, from, to), inside.at(-1), `latest ${what}`);
        // Every run of a sparse schedule, every so many-th of a dense one.
        for (let i = 0; i + 1 < all.length; i += 1 + Math.floor(all.length / 40)) {
          assertEquals(schedule.next(must(all[i])), all[i + 1], `next ${what}`);
          assertEquals(schedule.previous(must(all[i + 1])), all[i], `previous ${what}`);
        }
      }
    }),
    { numRuns: cases },
  );
}

/** Far from any scan: `previous` undoes `next` and the other way round, whatever the distance. */
function nextAndPreviousAreInverse(cases: number): void {
  const anywhere = fc.oneof(
    fc.integer({ min: Date.UTC(1970, 0, 1), max: Date.UTC(2110, 0, 1) }),
    // Not so near to the first and the last instant that a run may lie beyond.
    fc.integer({ min: Date.parse("0100-01-01T00:00:00Z"), max: Date.parse("9900-01-01T00:00:00Z") }),
  );
  const zone = fc.constantFrom("UTC", "Europe/Berlin", "Africa/Casablanca", "Australia/Lord_Howe", "Pacific/Apia");
  fc.assert(
    fc.property(anySchedule(), anyPolicy(), zone, anywhere, ({ text }, clockChangePolicy, timeZone, instant) => {
      const schedule = parseSchedule(text, { timeZone, clockChangePolicy, grammar: "Extended" });
      const next = schedule.next(instant);
      const previous = schedule.previous(instant);
      if (schedule.neverRuns) {
        assertEquals([next, previous], [undefined, undefined]);
        return;
      }
      assertEquals(schedule.previous(next! + 1), next);
      assertEquals(schedule.next(previous! - 1), previous);
      assertEquals(schedule.count(previous!, next! - 1), schedule.next(previous!) === next ? 0 : 1);
      assertEquals(schedule.next(schedule.previous(next!)!), next);
      assertEquals(schedule.previous(schedule.next(previous!)!), previous);
    }),
    { numRuns: cases },
  );
}

/** Over months and years, where the calendar counts and the search visits. */
function countEqualsVisiting(cases: number): void {
  const zone = fc.constantFrom("UTC", "America/New_York", "Africa/Casablanca", "Australia/Lord_Howe", "Asia/Pyongyang");
  const since = fc.integer({ min: Date.UTC(1990, 0, 1), max: Date.UTC(2080, 0, 1) });
  const gap = fc.oneof(fc.integer({ min: 0, max: 3 * DAY_MS }), fc.integer({ min: 0, max: 4000 * DAY_MS }));
  fc.assert(
    fc.property(anySchedule(), anyPolicy(), zone, since, gap, ({ text }, clockChangePolicy, timeZone, since, gap) => {
      const schedule = parseSchedule(text, { timeZone, clockChangePolicy, grammar: "Extended" });
      let count = 0;
      let latest: number | undefined;
      let now = since + gap;
      for (const run of schedule.between(since, now)) {
        latest = run;
        // Dense schedules are counted as far as they are visited.
        if (++count === 3000) now = run;
        if (run === now) break;
      }
      const what = `${text} ${timeZone} (${since}, ${now}]`;
      assertEquals(schedule.count(since, now), count, what);
      assertEquals(latestTime(schedule, since, now), latest, what);
    }),
    { numRuns: cases },
  );
}

/** Over any distance: the runs of two spans that meet are those of both together. */
function countsAddUp(cases: number): void {
  const zone = fc.constantFrom("UTC", "Europe/Berlin", "Australia/Lord_Howe");
  const instant = fc.oneof(
    fc.integer({ min: Date.UTC(1970, 0, 1), max: Date.UTC(2110, 0, 1) }),
    fc.integer({ min: FIRST_INSTANT, max: Date.UTC(2110, 0, 1) }),
  );
  fc.assert(
    fc.property(anySchedule(), zone, fc.tuple(instant, instant, instant), ({ text }, timeZone, instants) => {
      const schedule = parseSchedule(text, { timeZone, grammar: "Extended" });
      const [a, b, c] = instants.sort((x, y) => x - y);
      assertEquals(schedule.count(a, c), schedule.count(a, b) + schedule.count(b, c), `${text} ${timeZone}`);
      const latest = schedule.previous(c + 1);
      assertEquals(latest === undefined || latest <= b ? 0 : schedule.count(b, latest), schedule.count(b, c));
    }),
    { numRuns: cases },
  );
}

/** `@every` against its formula. */
function intervalsFollowTheirGrid(cases: number): void {
  const instant = fc.integer({ min: 0, max: Date.UTC(2100, 0, 1) });
  const seconds = fc.oneof(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 10_000_000 }));
  fc.assert(
    fc.property(instant, seconds, instant, fc.nat(50), (anchor, interval, at, k) => {
      const grid = parseSchedule(`@every ${interval}s`).anchoredAt(anchor);
      const everyMs = interval * 1000;
      const run = Math.floor(anchor / 1000) * 1000 + (k + 1) * everyMs;
      assertEquals(grid.next(run - 1), run);
      assertEquals(grid.next(run), run + everyMs);
      assertEquals(grid.previous(run + 1), run);
      assertEquals(grid.previous(run), k === 0 ? undefined : run - everyMs);
      assertEquals([...grid.between(anchor, run)].length, k + 1);
      assertEquals(grid.count(anchor, run), k + 1);
      const next = grid.next(at)!;
      assertEquals(Math.abs(next - run) % everyMs, 0);
      assertEquals(next > at && (next - everyMs <= at || next === grid.next(anchor)), true);
    }),
    { numRuns: cases },
  );
}

/** Declares a test of each property, with so many cases. */
export function testRuns(
  cases: { scans: number; distances: number; gaps: number; sums: number; intervals: number },
): void {
  test("Schedule's runs are those that a look at every minute finds, around clock changes and under every policy", () => {
    runsEqualAScan(cases.scans);
  });
  test("Schedule.next() and previous() are inverse at any distance", () => nextAndPreviousAreInverse(cases.distances));
  test("Schedule.count() equals visiting over gaps of up to eleven years", () => countEqualsVisiting(cases.gaps));
  test("Schedule.count() adds up over any distance", () => countsAddUp(cases.sums));
  test("@every runs on the grid of its anchor and nowhere else", () => intervalsFollowTheirGrid(cases.intervals));
}
