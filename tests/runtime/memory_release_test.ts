import { assertEquals } from "@std/assert";
import { memoryRelease } from "../../src/runtime/release_memory.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";

test("memory is given back soon after the start, and again and again until the end", async () => {
  const globals = globalThis as { gc?: unknown };
  const before = globals.gc;
  const started = Date.parse("2026-03-10T10:00:10Z");
  const clock = new FakeClock(started);
  const done: number[] = [];
  let cleanSince = started;
  globals.gc = () => {
    cleanSince = clock.now();
    done.push((cleanSince - started) / 1_000);
  };
  try {
    const stop = new AbortController();
    const inUse = () => 20_000_000 + 200 * (clock.now() - cleanSince);
    const running = memoryRelease(clock, inUse).run(stop.signal);
    await clock.advance(2 * 60_000);
    assertEquals(done, [15, 45, 75, 105]);
    stop.abort();
    await running;
    assertEquals(done.length, 4);
  } finally {
    globals.gc = before;
  }
});
