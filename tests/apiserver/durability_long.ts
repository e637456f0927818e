import { shareOf } from "../support/share.ts";
import { test } from "../support/test.ts";
import { killRounds } from "./support/kill_rounds.ts";

test("what was acknowledged survives many SIGKILLs in the middle of writes", async () => {
  await killRounds(shareOf(20), shareOf(2_000));
}, { sanitize: false });
