import { assertEquals, assertRejects } from "@std/assert";
import { Manager } from "../../src/runtime/manager.ts";
import type { Runnable } from "../../src/runtime/runnable.ts";
import { FakeClock, settle } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";
import { recordedPart } from "./support/recorded_part.ts";

function setUp() {
  const clock = new FakeClock();
  const log: string[] = [];
  const part = (name: string, more?: Partial<Runnable>) => recordedPart(log, name, more);
  return { clock, log, part, manager: new Manager({ clock }), stop: new AbortController() };
}

test("Manager starts its parts in order, each once those before are ready, and stops them in reverse", async () => {
  const { log, part, manager, stop } = setUp();
  const ready = Promise.withResolvers<void>();
  manager.add(part("cache", { ready: () => ready.promise })).add(part("recorder")).add(part("controller"));
  const ended = manager.run(stop.signal);
  await settle();
  assertEquals(log.splice(0), ["cache runs"]);
  ready.resolve();
  await settle();
  assertEquals(log.splice(0), ["recorder runs", "controller runs"]);
  stop.abort();
  await ended;
  assertEquals(log, ["controller stops", "recorder stops", "cache stops"]);
});

test("Manager stops all when one part fails, and throws its error", async () => {
  const { log, part, manager, stop } = setUp();
  const failing = { name: "failing", run: () => Promise.reject(new Error("the port is taken")) };
  manager.add(part("cache")).add(failing).add(part("controller"));
  await assertRejects(() => manager.run(stop.signal), Error, "the port is taken");
  assertEquals(log.filter((line) => line.startsWith("cache")), ["cache runs", "cache stops"]);
});

test("Manager stops all when a part ends by itself", async () => {
  const { part, manager, stop } = setUp();
  manager.add(part("cache")).add({ name: "short", run: () => Promise.resolve() });
  await assertRejects(() => manager.run(stop.signal), Error, "Cannot go on: short ended by itself");
});

test("Manager stops while a part is still getting ready", async () => {
  const { log, part, manager, stop } = setUp();
  manager.add(part("cache", { ready: () => new Promise(() => {/* never */}) })).add(part("controller"));
  const ended = manager.run(stop.signal);
  await settle();
  stop.abort();
  await ended;
  assertEquals(log, ["cache runs", "cache stops"]);
});

test("Manager does not wait for ever for a part that will not stop, and names it", async () => {
  const { clock, part, manager, stop, log } = setUp();
  const stubborn = Promise.withResolvers<void>();
  manager.add(part("cache")).add({ name: "stubborn", run: () => stubborn.promise });
  const ended = assertRejects(() => manager.run(stop.signal), Error);
  await settle();
  stop.abort();
  await clock.advance(10_000);
  assertEquals((await ended).message, "Cannot stop in time: stubborn");
  assertEquals(log, ["cache runs", "cache stops"]);
  stubborn.resolve();
});

test("Manager starts nothing when it is stopped already", async () => {
  const { log, part, manager, stop } = setUp();
  stop.abort();
  await manager.add(part("cache")).run(stop.signal);
  assertEquals(log, []);
});
