import { shareOf } from "../support/share.ts";
import { test } from "../support/test.ts";
import { checkFailedJobs } from "./support/failed_jobs.ts";

test("Which failed Jobs are there is what a plain count of all ends says, in random histories", async () => {
  await checkFailedJobs(shareOf(1_000));
});
