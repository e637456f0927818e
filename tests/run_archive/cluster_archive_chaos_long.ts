import { assert } from "@std/assert";
import { test } from "../support/test.ts";
import { judgeRandomRuns } from "./support/chaos.ts";

const EPISODES = 20;

for (const [replicas, areJoined] of [[1, false], [2, false], [2, true]] as const) {
  const who = `${replicas} killed replicas${areJoined ? " that read from each other" : ""}`;
  test(`what ${who} keep over ${EPISODES} lives of a cluster is what happened, but for named gaps`, async () => {
    let [runs, unseen] = [0, 0];
    for (let seed = 1_000 * replicas; seed < 1_000 * replicas + EPISODES; seed++) {
      const found = await judgeRandomRuns({ seed, replicas, steps: 120, areJoined }).catch((error) => {
        throw new Error(`seed ${seed}: ${error.message}`, { cause: error });
      });
      runs += found.runs;
      unseen += found.unseen;
    }
    console.log(`${runs} runs, seen ${replicas} times each but for ${unseen}`);
    assert(unseen > 0 && unseen < runs);
  });
}
