import { assert, assertEquals } from "@std/assert";
import { test } from "../support/test.ts";
import { killBeforeStatuses } from "./support/abandoned_controllers.ts";

test("With neverTwice no slot starts twice, or is lost, in 2,000 kills of a controller before a status", async () => {
  const { kills, jobs, ...wrong } = await killBeforeStatuses({ kills: 2_000, cronJobs: 40, neverTwice: true });
  console.log(`${kills} kills, ${jobs} Jobs`);
  assertEquals(wrong, { doubled: 0, lost: 0 });
});

test("Without neverTwice the same kills start slots twice", async () => {
  const { doubled, lost } = await killBeforeStatuses({ kills: 50, cronJobs: 10, neverTwice: false });
  assert(doubled > 0);
  assertEquals(lost, 0);
});
