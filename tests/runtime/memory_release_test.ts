import { assertEquals } from "@std/assert";
import { memoryRelease } from "../../src/runtime/release_memory.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";
import { running } from "../support/running.ts";

/** Returns how many seconds after its start a program gives memory back, in two minutes. */
async function releases(clock: FakeClock): Promise<number[]> {
  const globals = globalThis as { gc?: unknown };
  const before = globals.gc;
  const started = clock.now();
  const done: number[] = [];
  let cleanSince = started;
  globals.gc = () => {
    cleanSince = clock.now();
    done.push((cleanSince - started) / 1_000);
  };
  try {
    const inUse = () => 20_000_000 + 200 * (clock.now() - cleanSince);
    const releasing = running(memoryRelease(clock, inUse));
    await clock.advance(2 * 60_000);
    const soFar = [...done];
    await releasing[Symbol.asyncDispose]();
    assertEquals(done, soFar);
    return done;
  } finally {
    globals.gc = before;
  }
}

test("memory is given back soon after the start, between the beginnings of minutes, again and again until the end", async () => {
  const clock = new FakeClock(Date.parse("2026-03-10T10:00:10Z"));
  assertEquals(await releases(clock), [15, 45, 75, 105]);
  await clock.advance(34_000);
  assertEquals(await releases(clock), [19.001, 49.001, 79.001, 109.001], "started at 10:02:44");
});
