import { assert } from "@std/assert";
import { shareOf } from "../support/share.ts";
import { test } from "../support/test.ts";
import { proveThatControllersBearObjects } from "./support/odd_objects_controllers.ts";
import { proveThatTheServerBearsDocuments } from "./support/odd_objects_server.ts";

test("the API server answers odd documents in order, and goes on", async () => {
  for (let seed = 1; seed <= shareOf(4); seed++) {
    const taken = await proveThatTheServerBearsDocuments(seed, 3_000);
    assert(taken > 200, `Only ${taken} documents of seed ${seed} were odd and right`);
  }
});

test("odd objects neither break the controllers nor keep them busy", async () => {
  for (let seed = 1; seed <= shareOf(30); seed++) await proveThatControllersBearObjects(seed, 200);
});
