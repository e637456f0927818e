import { assertEquals } from "@std/assert";
import { MemoryRelease } from "../../src/runtime/memory_release.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";

test("memory is given back soon after the start, and again and again until the end", async () => {
  const globals = globalThis as { gc?: unknown };
  const before = globals.gc;
  const started = Date.parse("2026-03-10T10:00:10Z");
  const clock = new FakeClock(started);
  const done: number[] = [];
  globals.gc = () => void done.push((clock.now() - started) / 1_000);
  try {
    const stop = new AbortController();
    const running = new MemoryRelease(clock, () => 25_000_000).run(stop.signal);
    await clock.advance(2 * 60_000);
    assertEquals(done, [15, 45, 75, 105]);
    stop.abort();
    await running;
    assertEquals(done.length, 4);
  } finally {
    globals.gc = before;
  }
});
