import { shareOf } from "../support/share.ts";
import { test } from "../support/test.ts";
import { liveThroughFailures, liveThroughHistories } from "./support/histories.ts";

test("A Job controller counts each Pod once and ends the Job rightly, whatever happens", () =>
  liveThroughHistories(shareOf(50_000)));

test("A Job controller counts exactly the indexes as failed whose Pods failed by themselves", () =>
  liveThroughFailures(shareOf(20_000)));
