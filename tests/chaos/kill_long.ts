import { shareOf } from "../support/share.ts";
import { test } from "../support/test.ts";
import { proveThatKillsAreHarmless } from "./support/kills.ts";

test("kills at random moments double no run and lose none", async () => {
  await proveThatKillsAreHarmless(shareOf(20));
});
