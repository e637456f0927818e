import { assertEquals } from "@std/assert";
import { test } from "../support/test.ts";
import { explore, fixedChance, SETTINGS } from "./support/explore.ts";
import { byMoves, play } from "./support/run.ts";
import type { Hole } from "./support/judge.ts";

for (const name of ["Allow", "Forbid"] as const) {
  test(`No schedule of one run in which one thing goes wrong breaks a promise: ${name}`, async () => {
    const { broken } = await explore({ ...SETTINGS[name], slots: 1 }, { things: 1, deletions: 1 });
    assertEquals(broken, []);
  });
}

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
    const { judge: { violations } } = await play({ ...SETTINGS["Allow, one controller"], slots: 1 }, byMoves(moves));
    assertEquals(violations, [{ what: "a second Job for 2026-03-10T09:00:20Z", hole }]);
  });
}
