import { test } from "../support/test.ts";
import { proveThatNoneStartsTwice } from "./support/never_twice.ts";

test("With neverTwice no slot starts twice where Jobs are deleted, and controllers killed, before a status, 30 times", async () => {
  await proveThatNoneStartsTwice({ times: 30, cronJobs: 40 });
});
