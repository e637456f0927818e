import { test } from "../support/test.ts";
import { killRounds } from "./support/kill_rounds.ts";

test("what was acknowledged survives SIGKILL in the middle of writes", async () => {
  await killRounds(3, 300);
}, { sanitize: false });
