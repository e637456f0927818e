import { assert, assertEquals, assertThrows } from "@std/assert";
import * as fc from "fast-check";
import { SLOW_MS } from "../../src/kube/lanes/request_lanes.ts";
import { WorkQueue } from "../../src/runtime/work_queue.ts";
import { FakeClock, settle } from "../support/fake_clock.ts";
import { QuickClock } from "../support/quick_clock.ts";
import { test } from "../support/test.ts";

test("WorkQueue hands out once a key that was added three times, in the place of the first", async () => {
  const queue = new WorkQueue({ clock: new FakeClock() });
  for (const key of ["a", "a", "b", "a"]) queue.add(key);
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

test("WorkQueue adds a key at its instant, and hands it out apart from those that were merely added", async () => {
  const clock = new FakeClock();
  const queue = new WorkQueue({ clock, dueApart: true });
  queue.addAt("due", clock.now() + 60_000);
  queue.add("other");
  await clock.advance(59_999);
  assertEquals(queue.depth, 1);
  await clock.advance(1);
  assertEquals([queue.takeDue(), await queue.get(), queue.takeDue()], ["due", "other", undefined]);
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

test("WorkQueue fires within seconds of a wall clock that jumps ahead, as on wake-up", async () => {
  const clock = new FakeClock();
  const queue = new WorkQueue({ clock });
  queue.addAt("a", clock.now() + 8 * 3_600_000);
  await clock.jump(8 * 3_600_000 + 5);
  assertEquals(await queue.get(), "a");
});

test("WorkQueue waits for an instant anew when the wall clock is set back", async () => {
  const clock = new FakeClock();
  const queue = new WorkQueue({ clock });
  queue.addAt("a", clock.now() + 60_000);
  await clock.advance(59_000);
  await clock.jump(-600_000);
  await clock.advance(600_999);
  assertEquals(queue.depth, 0);
  await clock.advance(1);
  assertEquals(queue.depth, 1);
});

test("WorkQueue takes instants beyond the reach of one JavaScript timer", async () => {
  const clock = new FakeClock();
  const queue = new WorkQueue({ clock });
  const leapDay = clock.now() + 4 * 366 * 86_400_000;
  queue.addAt("a", leapDay);
  await clock.advance(leapDay - clock.now() - 1);
  assertEquals(queue.depth, 0);
  await clock.advance(1);
  assertEquals(queue.depth, 1);
});

test("WorkQueue keeps the earlier of two instants, and of two delays", async () => {
  const clock = new FakeClock();
  const queue = new WorkQueue({ clock });
  queue.addAt("a", clock.now() + 2_000);
  queue.addAt("a", clock.now() + 1_000);
  queue.addAt("a", clock.now() + 3_000);
  queue.addAfter("b", 2_000);
  queue.addAfter("b", 500);
  queue.addAfter("b", 3_000);
  await clock.advance(499);
  assertEquals(queue.depth, 0);
  await clock.advance(1);
  assertEquals(await queue.get(), "b");
  await clock.advance(500);
  assertEquals(await queue.get(), "a");
  await clock.advance(10_000);
  assertEquals([queue.depth, clock.pending], [0, 0]);
});

test("WorkQueue adds at once what is due already", () => {
  const clock = new FakeClock();
  const queue = new WorkQueue({ clock });
  queue.addAt("a", clock.now());
  queue.addAfter("b", 0);
  assertEquals(queue.depth, 2);
});

test("WorkQueue hands out a key without the delays that it had", async () => {
  const clock = new FakeClock();
  const queue = new WorkQueue({ clock });
  queue.addAt("a", clock.now() + 1_000);
  queue.addAfter("a", 1_000);
  queue.add("a");
  assertEquals(await queue.get(), "a");
  await clock.advance(1_000);
  queue.addAt("a", clock.now() + 2_000);
  queue.done("a");
  assertEquals(queue.depth, 0);
  await clock.advance(2_000);
  assertEquals(queue.depth, 1);
});

test("WorkQueue takes a key that becomes due from those that wait", async () => {
  const clock = new FakeClock();
  const queue = new WorkQueue({ clock, dueApart: true });
  for (const key of ["a", "b", "c"]) queue.add(key);
  queue.addAt("c", clock.now());
  assertEquals([queue.takeDue(), await queue.get(), await queue.get(), queue.depth], ["c", "a", "b", 0]);
});

test("WorkQueue hands out awaited keys before the others, after those that are late, and by a limit of their own", async () => {
  const queue = new WorkQueue({
    clock: new FakeClock(),
    concurrency: 3,
    isAwaited: (key) => key.startsWith("awaited"),
  });
  for (const key of ["a", "b", "awaited x", "awaited y"]) queue.add(key);
  queue.addLate("late");
  queue.limit(0, 1);
  assertEquals([await queue.get(), await queue.get()], ["late", "awaited x"]);
  const taken: (string | undefined)[] = [];
  for (let i = 0; i < 3; i++) queue.get().then((key) => taken.push(key));
  await settle();
  assertEquals(taken, []);
  queue.done("awaited x");
  await settle();
  assertEquals(taken, ["awaited y"]);
  queue.limit(3);
  await settle();
  assertEquals(taken, ["awaited y", "a", "b"]);
});

test("WorkQueue lets an awaited key that comes after a delay go before no other, as its work has failed", async () => {
  const clock = new FakeClock();
  const queue = new WorkQueue({ clock, isAwaited: (key) => key === "awaited" });
  queue.addAfter("awaited", 1_000);
  queue.add("other");
  await clock.advance(1_000);
  assertEquals([await queue.get(), await queue.get()], ["other", "awaited"]);
});

test("WorkQueue hands out a key of another namespace once work has taken long, and no sooner", async () => {
  const clock = new FakeClock();
  const queue = new WorkQueue({ clock, concurrency: 2 });
  for (const key of ["slow/a", "slow/b", "slow/c"]) queue.add(key);
  assertEquals([await queue.get(), await queue.get()], ["slow/a", "slow/b"]);
  await clock.advance(1);
  queue.add("other/a");
  assertEquals(await queue.get(), "other/a");
  queue.add("other/b");
  const taken: (string | undefined)[] = [];
  queue.get().then((key) => taken.push(key));
  await clock.advance(SLOW_MS - 2);
  assertEquals(taken, []);
  await clock.advance(1);
  assertEquals(taken, ["other/b"]);
  queue.shutDown();
  assertEquals(clock.pending, 0);
});

test("WorkQueue wakes who waits for what is due, however the key had been asked for before", async () => {
  for (const before of ["nobody had asked", "it waits to be worked on", "it is worked on"] as const) {
    const clock = new FakeClock();
    const queue = new WorkQueue({ clock, dueApart: true });
    if (before !== "nobody had asked") queue.add("a");
    if (before === "it is worked on") await queue.get();
    queue.limit(0);
    let isDue = false;
    queue.someDue().then((some) => isDue = some);
    queue.addAt("a", clock.now() + 1_000);
    await clock.advance(1_000);
    if (before === "it is worked on") queue.done("a");
    await settle();
    assertEquals([isDue, queue.takeDue()], [true, "a"], before);
  }
});

test("WorkQueue ends a wait when its signal is aborted, and when it is shut down", async () => {
  const queue = new WorkQueue({ clock: new FakeClock() });
  const stop = new AbortController();
  const [aborted, shutDown] = [queue.get(stop.signal), queue.get()];
  stop.abort();
  assertEquals(await aborted, undefined);
  queue.shutDown();
  assertEquals(await shutDown, undefined);
});

test("WorkQueue hands out what is left after a shutdown, takes nothing more, and has no timers", async () => {
  const clock = new FakeClock();
  const queue = new WorkQueue({ clock });
  queue.add("a");
  queue.addAt("b", clock.now() + 1_000);
  queue.addAfter("c", 1_000);
  queue.addAfter("earlier", 500);
  queue.shutDown();
  queue.add("d");
  queue.addAt("e", clock.now() + 1_000);
  queue.addAfter("f", 1_000);
  await settle();
  assertEquals(clock.pending, 0);
  assertEquals([await queue.get(), await queue.get()], ["a", undefined]);
});

test("WorkQueue refuses the end of work that was not begun", () => {
  const queue = new WorkQueue({ clock: new FakeClock() });
  assertThrows(() => queue.done("a"), Error, "Cannot end the work on 'a': it is not worked on");
});

test("WorkQueue reports how long keys wait and are worked on", async () => {
  const clock = new FakeClock();
  const seen: unknown[] = [];
  const queue = new WorkQueue({
    clock,
    name: "q",
    observer: {
      onAdd: (...args) => seen.push(["add", ...args]),
      onGet: (...args) => seen.push(["get", ...args]),
      onDone: (...args) => seen.push(["done", ...args]),
    },
  });
  queue.add("a");
  queue.add("a");
  await clock.advance(300);
  assertEquals([queue.longestWaitMs, queue.longestWorkMs], [300, 0]);
  await queue.get();
  await clock.advance(200);
  assertEquals([queue.longestWaitMs, queue.longestWorkMs, queue.processing], [0, 200, 1]);
  queue.done("a");
  assertEquals(seen, [["add", "q"], ["get", "q", 300], ["done", "q", 200]]);
});

test("WorkQueue behaves as three plain sets do", async () => {
  const key = fc.constantFrom("a", "b", "c", "d");
  const step = fc.oneof(
    fc.record({ do: fc.constant("add" as const), key }),
    fc.record({ do: fc.constant("addAt" as const), key, inMs: fc.nat(50) }),
    fc.record({ do: fc.constant("addAfter" as const), key, inMs: fc.nat(50) }),
    fc.record({ do: fc.constant("take" as const), key }),
    fc.record({ do: fc.constant("done" as const), key }),
    fc.record({ do: fc.constant("advance" as const), key, inMs: fc.nat(30) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const clock = new QuickClock();
      const queue = new WorkQueue({ clock });
      const dirty = new Set<string>();
      const working = new Set<string>();
      const [instants, delays] = [new Map<string, number>(), new Map<string, number>()];
      const earliest = (map: Map<string, number>, key: string, at: number) =>
        map.set(key, Math.min(at, map.get(key) ?? Infinity));
      for (const step of steps) {
        switch (step.do) {
          case "add":
            queue.add(step.key);
            dirty.add(step.key);
            break;
          case "addAt":
            queue.addAt(step.key, clock.now() + step.inMs);
            if (step.inMs === 0) dirty.add(step.key);
            else earliest(instants, step.key, clock.now() + step.inMs);
            break;
          case "addAfter":
            queue.addAfter(step.key, step.inMs);
            if (step.inMs === 0) dirty.add(step.key);
            else earliest(delays, step.key, clock.now() + step.inMs);
            break;
          case "take": {
            const ready = [...dirty].filter((key) => !working.has(key));
            assertEquals(queue.depth, ready.length);
            if (ready.length === 0) break;
            const taken = (await queue.get())!;
            assert(ready.includes(taken));
            dirty.delete(taken);
            working.add(taken);
            instants.delete(taken);
            delays.delete(taken);
            break;
          }
          case "done":
            if (!working.delete(step.key)) break;
            queue.done(step.key);
            break;
          case "advance":
            await clock.advance(step.inMs);
            for (const waiting of [instants, delays]) {
              for (const [key, at] of waiting) if (at <= clock.now() && waiting.delete(key)) dirty.add(key);
            }
        }
        assertEquals(queue.depth, [...dirty].filter((key) => !working.has(key)).length);
        assertEquals(queue.processing, working.size);
      }
      queue.shutDown();
    }),
    { numRuns: 300 },
  );
});
