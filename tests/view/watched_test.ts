import { assertEquals } from "@std/assert";
import { type Watched, watchedInWords, whyNotKept } from "../../src/view/watched.ts";
import { test } from "../support/test.ts";

const at = (clock: string) => Date.parse(`2026-03-10T${clock}Z`);
const gap = (since: string, until: string) => ({ since: at(since), until: at(until) });
const WATCHED: Watched = { since: at("08:00"), gaps: [gap("09:00", "09:10")] };

for (
  const [name, watched, words] of [
    ["has not begun", { since: undefined, gaps: [] }, "History is not kept yet"],
    ["has no gap", { ...WATCHED, gaps: [] }, "History is kept since Tue 2026-03-10 08:00 UTC"],
    [
      "has one gap",
      WATCHED,
      "History is kept since Tue 2026-03-10 08:00 UTC, and was not from Tue 2026-03-10 09:00 to Tue 2026-03-10 09:10",
    ],
    [
      "has a gap shorter than a second",
      { ...WATCHED, gaps: [gap("09:00:04.100", "09:00:04.900")] },
      "History is kept since Tue 2026-03-10 08:00 UTC, and was not at Tue 2026-03-10 09:00:04",
    ],
  ] as const satisfies [string, Watched, string][]
) {
  test(`history that ${name} says so`, () => assertEquals(watchedInWords(watched, "UTC"), words));
}

test("of many gaps the newest five are named, and the others counted", () => {
  const gaps = Array.from({ length: 7 }, (_, i) => gap(`1${i}:00`, `1${i}:01`));
  const words = watchedInWords({ since: at("08:00"), gaps }, "UTC");
  assertEquals(words.match(/from/g)?.length, 5);
  assertEquals(words.includes("16:00") && !words.includes("11:00") && words.endsWith(", 2 earlier times"), true);
});

for (
  const [time, why] of [
    ["07:59", "history is kept since Tue 2026-03-10 08:00 UTC"],
    ["08:30", "history was kept then, and has no run of that time"],
    ["09:00", "history was not kept from Tue 2026-03-10 09:00 to Tue 2026-03-10 09:10"],
    ["09:10", "history was kept then, and has no run of that time"],
  ] as const
) {
  test(`of ${time} without a run: ${why}`, () => assertEquals(whyNotKept(WATCHED, at(time), "UTC"), why));
}

test("before history has begun no time is known by it", () => {
  assertEquals(whyNotKept({ since: undefined, gaps: [] }, at("09:00"), "UTC"), "history is not kept yet");
});
