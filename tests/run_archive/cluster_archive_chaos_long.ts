import { assert } from "@std/assert";
import { shareOf } from "../support/share.ts";
import { test } from "../support/test.ts";
import { judgeRandomRuns } from "./support/chaos.ts";

const EPISODES = shareOf(20);

for (const [replicas, areJoined] of [[1, false], [2, false], [2, true]] as const) {
  const who = `${replicas} killed replicas${areJoined ? " that read from each other" : ""}`;
  test(`what ${who} keep over ${EPISODES} lives of a cluster is what happened, but for named gaps`, async () => {
    // All at once: each waits for turns of the event loop for most of its time.
    const found = await Promise.all(Array.from({ length: EPISODES }, (_, episode) => {
      const seed = 1_000 * replicas + episode;
      return judgeRandomRuns({ seed, replicas, steps: 120, areJoined }).catch((error) => {
        throw new Error(`seed ${seed}: ${error.message}`, { cause: error });
      });
    }));
    const runs = found.reduce((sum, life) => sum + life.runs, 0);
    const unseen = found.reduce((sum, life) => sum + life.unseen, 0);
    console.log(`${runs} runs, seen ${replicas} times each but for ${unseen}`);
    assert(unseen > 0 && unseen < runs);
  });
}
