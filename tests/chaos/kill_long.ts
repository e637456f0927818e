import { test } from "../support/test.ts";
import { proveThatKillsAreHarmless } from "./support/kills.ts";

test("twenty kills at random moments double no run and lose none", async () => {
  await proveThatKillsAreHarmless(20);
});
