import { assertEquals } from "@std/assert";
import { WorkQueue } from "../../src/runtime/work_queue.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";

test("WorkQueue hands out once a key that was added three times", async () => {
  const queue = new WorkQueue({ clock: new FakeClock() });
  for (let i = 0; i < 3; i++) queue.add("a");
  queue.add("b");
  assertEquals([await queue.get(), await queue.get(), queue.depth], ["a", "b", 0]);
});

test("WorkQueue never hands out a key that is worked on, and hands it out again afterwards", async () => {
  const queue = new WorkQueue({ clock: new FakeClock() });
  queue.add("a");
  assertEquals(await queue.get(), "a");
  queue.add("a");
  assertEquals(queue.depth, 0);
  queue.done("a");
  assertEquals(await queue.get(), "a");
  queue.done("a");
  assertEquals(queue.depth, 0);
});

test("WorkQueue adds a key at its instant, before keys that were merely added", async () => {
  const clock = new FakeClock();
  const queue = new WorkQueue({ clock });
  queue.addAt("due", clock.now() + 60_000);
  queue.add("other");
  await clock.advance(59_999);
  assertEquals(queue.depth, 1);
  await clock.advance(1);
  assertEquals([await queue.get(), await queue.get()], ["due", "other"]);
  queue.shutDown();
});

test("WorkQueue adds a key after its delay, though the wall clock is set back", async () => {
  const clock = new FakeClock();
  const queue = new WorkQueue({ clock });
  queue.addAfter("a", 1_000);
  await clock.jump(-3_600_000);
  await clock.advance(1_000);
  assertEquals(queue.depth, 1);
  queue.shutDown();
});
