import { test } from "../support/test.ts";
import { liveThroughHistories } from "./support/histories.ts";

test("A Job controller counts each Pod once and ends the Job rightly, whatever happens", () =>
  liveThroughHistories(50_000));
