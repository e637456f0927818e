import { assertEquals } from "@std/assert";
import * as fc from "fast-check";
import { duration, fullTime, lasting, nearTime, offsetMs } from "../../../src/dashboard/page/model/times.js";
import { timeZone } from "../../../src/schedule/time_zone.ts";
import { fullTime as printedInFull } from "../../../src/schedule/full_time.ts";
import { distanceOf, nearTime as printed } from "../../../src/view/times.ts";
import { test } from "../../support/test.ts";

const ZONES = ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe", "Pacific/Apia"];
const instants = fc.integer({ min: Date.UTC(1990, 0), max: Date.UTC(2045, 0) });
const seconds = instants.map((ms) => Math.floor(ms / 1_000) * 1_000);

test("the page prints times as the commands do", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...ZONES),
      seconds,
      fc.integer({ min: -10 * 86_400, max: 10 * 86_400 }),
      (zone, at, ago) => {
        const now = at + ago * 1_000;
        assertEquals(nearTime(at, zone, now), printed(at, zone, now));
        assertEquals(fullTime(at, zone), printedInFull(at, zone));
      },
    ),
    { numRuns: 300 },
  );
});

test("the page prints how long something lasts as the commands do", () => {
  fc.assert(fc.property(fc.nat({ max: 4e11 }), (ms) => assertEquals(lasting(ms), distanceOf(0, ms))), { numRuns: 500 });
});

test("a short run is shown in tenths of a second", () => {
  assertEquals([0, 240, 9_940, 9_960, 59_600].map(duration), ["0.0s", "0.2s", "9.9s", "10s", "1m"]);
});

test("the page knows how far the clock of a zone is ahead", () => {
  fc.assert(
    fc.property(fc.constantFrom(...ZONES), instants, (zone, at) => {
      assertEquals(offsetMs(at, zone), timeZone(zone).periodAt(at).offsetMs);
    }),
    { numRuns: 300 },
  );
});
