import { assert, assertEquals } from "@std/assert";
import * as fc from "fast-check";
import { test } from "../../../support/test.ts";
import { AskedCluster } from "./asked_cluster.ts";
import type { Tally } from "./judge.ts";
import { toldAndNotSo } from "./told.ts";
import { describe, smaller } from "./lesser_worlds.ts";
import type { World } from "./world.ts";
import { worlds } from "./worlds.ts";

/** An answer that says nothing is never wrong: at most this share of all answers may be "unknown". */
const MOST_UNKNOWN = 0.1;
/** So many worlds show well enough what is wrong. */
const SHOWN = 3;

/** In random worlds, what commands say of the six hours before and after is what was done, and then is. */
export function truthTests({ runs }: { runs: number }): void {
  test("what is said of a CronJob is what its cluster did, and then does", async () => {
    await using asked = await AskedCluster.start();
    const tally: Tally = { asked: 0, unknown: 0 };
    const wrong: string[] = [];
    for (const [i, world] of fc.sample(worlds, runs).entries()) {
      const found = await toldAndNotSo(asked, world, tally);
      if (found.length === 0) continue;
      const least = await leastWorld(asked, world);
      wrong.push([`World ${i} of CJC_TEST_SEED=${SEED}: ${describe(least.world)}`, ...least.found].join("\n- "));
      if (wrong.length === SHOWN) break;
    }
    assertEquals(wrong.join("\n"), "");
    assert(tally.unknown <= MOST_UNKNOWN * tally.asked, `${tally.unknown} of ${tally.asked} answers were "unknown"`);
  });
}

const SEED = fc.readConfigureGlobal().seed;

/** Leaves out of a world what is not needed for an answer that is not so. */
async function leastWorld(asked: AskedCluster, world: World): Promise<{ world: World; found: string[] }> {
  for (const one of smaller(world)) {
    const found = await toldAndNotSo(asked, one, { asked: 0, unknown: 0 });
    if (found.length > 0) return await leastWorld(asked, one);
  }
  return { world, found: await toldAndNotSo(asked, world, { asked: 0, unknown: 0 }) };
}
