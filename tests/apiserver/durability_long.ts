import { test } from "../support/test.ts";
import { killRounds } from "./support/kill_rounds.ts";

test("what was acknowledged survives 20 SIGKILLs in 10,000 writes", async () => {
  await killRounds(20, 10_000);
}, { sanitize: false });
