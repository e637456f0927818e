import { assertEquals } from "@std/assert";
import * as fc from "fast-check";
import { test } from "../../support/test.ts";
import { lived } from "./compare.ts";
import { worlds } from "./worlds.ts";

/** In random worlds a real reconciler is let work, and every start, refusal and replacement compared. */
export function agreementTests({ runs }: { runs: number }): void {
  test("what is simulated is what the controller then does", async () => {
    await fc.assert(
      fc.asyncProperty(worlds, async (world) => {
        const { done, simulated } = await lived(world);
        assertEquals(simulated, done);
      }),
      { numRuns: runs },
    );
  });
}
