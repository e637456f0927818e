import { test } from "../support/test.ts";
import { checkFailedJobs } from "./support/failed_jobs.ts";

test("Which failed Jobs are there is what a plain count of all ends says, in 1,000 random histories", async () => {
  await checkFailedJobs(1_000);
});
