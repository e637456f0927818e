import { test } from "../support/test.ts";
import { killRounds } from "./support/kill_rounds.ts";

test("what was acknowledged survives 20 SIGKILLs in 2,000 writes", async () => {
  await killRounds(20, 2_000);
}, { sanitize: false });
