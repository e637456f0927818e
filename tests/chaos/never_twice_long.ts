import { test } from "../support/test.ts";
import { proveThatNoneStartsTwice } from "./support/never_twice.ts";

test("With neverTwice none of 2,000 slots starts twice whose Job is deleted, and controller killed, before a status", async () => {
  await proveThatNoneStartsTwice({ slots: 2_000, cronJobs: 50 });
});
