import { assertEquals } from "@std/assert";
import { ClockWatch } from "../../src/runtime/clock_watch.ts";
import { test } from "../support/test.ts";

/** What each look says, two seconds after the last, when the wall clock was set so before it; and what holds in the end. */
function looksAfter(steps: readonly number[]): [looks: boolean[], wentBack: boolean] {
  let now = Date.parse("2026-03-10T10:00:00Z");
  let monotonic = 0;
  const watch = new ClockWatch({ now: () => now, monotonic: () => monotonic });
  const looks = steps.map((step) => {
    monotonic += 2_000;
    now += 2_000 + step;
    return watch.look();
  });
  return [looks, watch.wentBack];
}

test("A clock that is set back by ten seconds is noticed once, and by less it counts as right", () => {
  assertEquals(looksAfter([-9_999, 0]), [[false, false], false]);
  assertEquals(looksAfter([-10_000, 0]), [[true, false], true]);
  assertEquals(looksAfter([60_000, -60_000, 0]), [[false, true, false], true]);
});

test("A clock that is set back bit by bit is noticed whenever it makes ten seconds", () => {
  assertEquals(looksAfter([-4_000, -4_000, -4_000, -4_000]), [[false, false, true, false], true]);
  assertEquals(looksAfter([-9_000, 9_000, -9_000]), [[false, false, false], false]);
});
