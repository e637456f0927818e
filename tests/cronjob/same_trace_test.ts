// Histories in virtual time, played again: a seed that found a fault finds it on each machine, and under each Deno.
import { createHash } from "node:crypto";
import { assertEquals } from "@std/assert";
import * as fc from "fast-check";
import { test } from "../support/test.ts";
import { History } from "./support/history.ts";
import { actions } from "./support/history_actions.ts";
import { SETTINGS } from "./support/history_suite.ts";

/** Digests all changes of objects, all requests and all Events of random histories of each setting. */
async function digest(): Promise<string> {
  const hash = createHash("sha256");
  const drawn = fc.sample(fc.tuple(fc.boolean(), actions({ edits: true, backfills: true, jumps: true })), 2);
  for (const setting of Object.values(SETTINGS)) {
    for (const [prompt, steps] of drawn) {
      const history = new History({ ...setting, prompt });
      for (const step of steps) await history.act(step);
      await history.settle();
      const changes = ["cronjobs", "jobs"].map((name) => history.server.collection(name).changes);
      hash.update(JSON.stringify([changes, history.server.requests, history.events]));
    }
  }
  return hash.digest("hex");
}

test("the same seed gives the same trace, byte by byte", async () => {
  const first = await digest();
  console.log(`Trace of the histories: ${first}`);
  assertEquals(await digest(), first);
});
