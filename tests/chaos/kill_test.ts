import { test } from "../support/test.ts";
import { proveThatKillsAreHarmless } from "./support/kills.ts";

test("a kill at a random moment doubles no run and loses none", async () => {
  await proveThatKillsAreHarmless(1);
});
