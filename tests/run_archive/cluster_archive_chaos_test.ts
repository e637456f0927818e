import { assert } from "@std/assert";
import { test } from "../support/test.ts";
import { judgeRandomRuns } from "./support/chaos.ts";

for (const replicas of [1, 2]) {
  test(`what ${replicas} killed replicas keep is what happened, but for gaps that are named`, async () => {
    const { runs, unseen } = await judgeRandomRuns({ seed: replicas, replicas, steps: 120 });
    assert(runs > 20 && unseen > 0 && unseen < runs, `${runs} runs, ${unseen} of them unseen`);
  });
}

test("two killed replicas that read from each other keep what either has seen", async () => {
  const apart = await judgeRandomRuns({ seed: 7, replicas: 2, steps: 120 });
  const joined = await judgeRandomRuns({ seed: 7, replicas: 2, steps: 120, areJoined: true });
  assert(joined.runs > 20 && joined.unseen < apart.unseen, `${joined.unseen} of ${apart.unseen} are unseen`);
});
