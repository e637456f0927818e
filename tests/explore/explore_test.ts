import { assertEquals } from "@std/assert";
import { atLeast } from "../support/expected.ts";
import { test } from "../support/test.ts";
import { explore, fixedChance, SETTINGS } from "./support/explore.ts";
import { byMoves, play } from "./support/run.ts";
import type { Hole } from "./support/judge.ts";

const search = (name: "Allow" | "Forbid") => explore({ ...SETTINGS[name], slots: 1 }, { things: 1, deletions: 1 });
let first: ReturnType<typeof search> | undefined;

test("No schedule of one run in which one thing goes wrong breaks a promise: Allow", async () => {
  assertEquals((await search("Allow")).broken, []);
});

test("No schedule of one run in which one thing goes wrong breaks a promise: Forbid", async () => {
  assertEquals((await (first ??= search("Forbid"))).broken, []);
});

const JOB = "c-1773133220";
const ABANDONED = `A: create jobs ${JOB}: abandoned by its client, and still on its way`;
const DELETED = `another client deletes Job ${JOB}`;

/** The shortest schedules through each hole, as the explorer found them. */
const THROUGH: Record<Hole, readonly string[]> = {
  "crash": [DELETED, "A: replace cronjobs c status: A is killed before"],
  "lost answer": [ABANDONED, `A: create jobs ${JOB}: arrives late`, DELETED],
  "late request": [ABANDONED, DELETED],
};

for (const [hole, moves] of Object.entries(THROUGH) as [Hole, readonly string[]][]) {
  test(`A scheduled time starts twice through the hole that why.md states: ${hole}`, async () => {
    using _fixed = fixedChance();
    const { judge: { violations } } = await play(SETTINGS["Allow, one controller"], byMoves(moves));
    assertEquals(violations, [{ what: "a second Job for 2026-03-10T09:00:20Z", hole }]);
  });
}

for (const [hole, moves] of Object.entries(THROUGH)) {
  test(`With neverTwice a scheduled time does not start twice through the hole: ${hole}`, async () => {
    using _fixed = fixedChance();
    const { judge: { violations } } = await play(SETTINGS["Allow, one controller, neverTwice"], byMoves(moves));
    assertEquals(violations, []);
  });
}

test("With neverTwice the name that stays taken until a status has the time is enough against a crash", async () => {
  using _fixed = fixedChance();
  const setting = { ...SETTINGS["Allow, one controller, neverTwice"], holdMs: 0 };
  const { judge: { violations } } = await play(setting, byMoves(THROUGH.crash));
  assertEquals(violations, []);
});

test("With neverTwice a time starts twice only if a request is held up for longer than the name of the Job", async () => {
  using _fixed = fixedChance();
  // The request arrives when the window is over: 26 s after it was sent, and 66 s.
  const holes = async (slots: number) => {
    const setting = { ...SETTINGS["Allow, one controller, neverTwice"], slots };
    const { judge: { violations } } = await play(setting, byMoves(THROUGH["late request"]));
    return violations.map(({ hole }) => hole);
  };
  assertEquals([await holes(2), await holes(4)], [[], ["late request"]]);
});

test("A standby that has seen the Job does not start its time again after a crash, one whose watch expired does", async () => {
  using _fixed = fixedChance();
  const holes = async (...moves: string[]) => {
    const { judge: { violations } } = await play({ ...SETTINGS.Allow, slots: 1 }, byMoves(moves));
    return violations.map(({ hole }) => hole);
  };
  const [deleted, killed] = atLeast(2, THROUGH.crash);
  const missed = `B: ADDED jobs ${JOB}: missed: the watch expires`;
  assertEquals([await holes(deleted, killed), await holes(deleted, missed, killed)], [[], ["crash"]]);
});

test("The same search comes to the same states in the same order", async () => {
  assertEquals(await (first ??= search("Forbid")), await search("Forbid"));
});
