import { assertEquals } from "@std/assert";
import { OpenWrites } from "../../src/runtime/open_writes.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";

test("OpenWrites are over when all have been answered, or long enough after one was abandoned", async () => {
  const clock = new FakeClock();
  const writes = new OpenWrites(clock);
  assertEquals(writes.areOver, true);
  const [first, second] = [writes.begin(), writes.begin()];
  first(true);
  assertEquals(writes.areOver, false);
  second(false);
  await clock.advance(59_999);
  assertEquals(writes.areOver, false);
  await clock.advance(1);
  assertEquals(writes.areOver, true);
});
