import { test } from "../support/test.ts";
import { proveThatStartsComeFirst } from "./support/start_first_order.ts";

test("Of 3,000 CronJobs due at one instant, the last starts before the first is recorded", async () => {
  await proveThatStartsComeFirst({ count: 3_000 });
});
