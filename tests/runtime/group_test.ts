import { assertEquals, assertRejects } from "@std/assert";
import { Group } from "../../src/runtime/group.ts";
import type { Runnable } from "../../src/runtime/runnable.ts";
import { FakeClock, settle } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";
import { recordedPart } from "./support/recorded_part.ts";

function setUp() {
  const log: string[] = [];
  const clock = new FakeClock();
  const group = new Group(clock);
  const add = (name: string, more?: Partial<Runnable>) => group.add(recordedPart(log, name, more));
  return { log, clock, group, add, stop: new AbortController() };
}

test("Group starts and stops its parts together, and is ready when all are", async () => {
  const { log, group, add, stop } = setUp();
  const ready = Promise.withResolvers<void>();
  add("a", { ready: () => ready.promise });
  add("b");
  assertEquals(group.name, "a, b");
  const ended = group.run(stop.signal);
  let isReady = false;
  group.ready().then(() => isReady = true);
  await settle();
  assertEquals([log.splice(0), isReady], [["a runs", "b runs"], false]);
  ready.resolve();
  await settle();
  assertEquals(isReady, true);
  stop.abort();
  await ended;
  assertEquals(log, ["a stops", "b stops"]);
});

test("Group starts a part that is added while it runs, and ends one that is removed, which ends no other", async () => {
  const { log, group, add, stop } = setUp();
  add("a");
  const ended = group.run(stop.signal);
  const late = recordedPart(log, "late");
  group.add(late);
  await settle();
  assertEquals([log.splice(0), group.name], [["a runs", "late runs"], "a, late"]);
  await group.remove(late);
  assertEquals([log.splice(0), group.name], [["late stops"], "a"]);
  stop.abort();
  await ended;
  assertEquals(log, ["a stops"]);
});

test("Group stops all when one fails, or ends by itself, and rejects when they have ended", async () => {
  for (
    const [run, message] of [
      [() => Promise.reject(new Error("broken")), "broken"],
      [() => Promise.resolve(), "Cannot go on: b ended by itself"],
    ] as const
  ) {
    const { log, group, add, stop } = setUp();
    add("a");
    add("b", { run });
    await assertRejects(() => group.run(stop.signal), Error, message);
    assertEquals(log, ["a runs", "a stops"]);
  }
});

test("Group rejects with the reason of a part that failed although another one does not end", async () => {
  const { clock, group, add, stop } = setUp();
  add("a", { run: () => new Promise(() => {}) });
  add("b", { run: () => Promise.reject(new Error("broken")) });
  const ended = assertRejects(() => group.run(stop.signal), Error, "broken");
  await clock.advance(10_000);
  await ended;
});

test("Group lets go of a part that it has not started yet", async () => {
  const { log, group, add, stop } = setUp();
  const early = recordedPart(log, "early");
  group.add(early);
  add("a");
  await group.remove(early);
  stop.abort();
  await group.run(stop.signal);
  assertEquals(group.name, "a");
});

test("Group waits for a removed part that still ends", async () => {
  const { group, stop } = setUp();
  const end = Promise.withResolvers<void>();
  const late = { name: "late", run: () => end.promise };
  group.add(late);
  const ended = group.run(stop.signal);
  let count = 0;
  for (const waiting of [group.remove(late), ended]) waiting.then(() => count++);
  stop.abort();
  await settle();
  assertEquals(count, 0);
  end.resolve();
  await ended;
  await settle();
  assertEquals(count, 2);
});
