import { assert } from "@std/assert";
import { test } from "../support/test.ts";
import { soak } from "./support/soak.ts";

test("A hundred CronJobs of every sort run what they must while clocks are set back", async () => {
  const slots = await soak({
    cronJobs: 100,
    // In Berlin 03:00 becomes 02:00 at 01:00 UTC.
    from: "2026-10-25T00:20:00Z",
    to: "2026-10-25T02:10:00Z",
    downtimes: [{ from: "2026-10-25T00:50:30Z", to: "2026-10-25T01:20:30Z" }],
  });
  assert(slots > 20, `Only ${slots} runs were due`);
});
