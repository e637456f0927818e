import { assertEquals } from "@std/assert";
import { atLeast, must } from "../support/expected.ts";
import { shareOf } from "../support/share.ts";
import { test } from "../support/test.ts";
import { type Course, PATIENT_LEASE, proveThatHandOversAreHarmless, summary } from "./support/hand_overs.ts";
import type { Ending } from "./support/replicas.ts";

const ENDINGS: readonly Ending[] = ["released", "killed", "paused"];

/** `count` hand-overs of all kinds in turn, beginning with one or another. */
function mixed(count: number, first: number): Ending[] {
  return Array.from({ length: count }, (_, i) => must(ENDINGS[(first + i) % ENDINGS.length]));
}

test("hand-overs double no run, lose none that is to be caught up, and count what is passed over", async () => {
  const usual: Course = { endings: mixed(shareOf(8), 0) };
  const short = Array.from({ length: 3 }, (_, i): Course => ({ endings: mixed(shareOf(14), i), args: PATIENT_LEASE }));
  const [byDefault, ...others] = atLeast(1, await proveThatHandOversAreHarmless([usual, ...short]));
  console.log("Lease duration 15 s, retry period 2 s (the defaults):");
  console.table(summary(byDefault));
  console.log("Lease duration 10 s, retry period 500 ms:");
  console.table(summary(others.flat()));
  assertEquals(byDefault.length + others.flat().length, shareOf(8) + 3 * shareOf(14));
});
