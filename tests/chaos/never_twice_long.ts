import { test } from "../support/test.ts";
import { proveThatNoneStartsTwice } from "./support/never_twice.ts";

test("With neverTwice no slot starts twice where Jobs are deleted, and controllers killed, before a status, 2,000 times", async () => {
  await proveThatNoneStartsTwice({ times: 2_000, cronJobs: 50 });
});
