import { assertEquals } from "@std/assert";
import { timeZone } from "../../src/schedule/time_zone.ts";
import { TIME_ZONE_NAMES } from "../../src/schedule/time_zone_names.ts";
import { test } from "../support/test.ts";
import { wallClock } from "./support/scan.ts";

test("TimeZone agrees with Intl in every zone, every two days from 1970 to 2045", () => {
  const hour = 3_600_000;
  for (const name of TIME_ZONE_NAMES) {
    const zone = timeZone(name);
    const wallAt = wallClock(name);
    for (let at = 0; at < Date.UTC(2045, 0, 1); at += 47 * hour) {
      const expected = wallAt(at);
      if (zone.wallAt(at) !== expected) assertEquals(new Date(zone.wallAt(at)), new Date(expected), `${name} ${at}`);
    }
  }
});
