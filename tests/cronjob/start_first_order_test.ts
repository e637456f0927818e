import { test } from "../support/test.ts";
import { proveThatStartsComeFirst } from "./support/start_first_order.ts";

test("Of 100 CronJobs due at one instant, the last starts before the first is recorded, however few are worked on at a time", async () => {
  await proveThatStartsComeFirst({ count: 100, concurrentSyncs: 10 });
});
