import { assertEquals } from "@std/assert";
import { outcomesOf } from "../../src/simulate/outcomes.ts";
import { test } from "../support/test.ts";

test("the latest of hundreds of thousands of runs that others held back is found", () => {
  const count = 200_000;
  const single = Array.from({ length: count }, (_, i) => ({
    scheduledTime: i,
    startsAt: 2 * i,
    endsAt: 2 * i + 1,
    isReplaced: false,
  }));
  assertEquals(outcomesOf({ single, refused: [], breaches: [] }, { from: 0, to: 2 * count }, 0), {
    runs: count,
    late: count - 1,
    latestSeconds: (count - 1) / 1_000,
    replaced: 0,
    skipped: {},
  });
});
