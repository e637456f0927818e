import { assertEquals } from "@std/assert";
import type { Clock } from "../../src/runtime/clock.ts";
import { releaseMemory } from "../../src/runtime/release_memory.ts";
import { test } from "../support/test.ts";

test("memory is given back between the beginnings of minutes, and once in ten minutes at most", () => {
  const globals = globalThis as { gc?: unknown };
  const before = globals.gc;
  const done: string[] = [];
  const at = (time: string) => {
    const now = Date.parse(`2026-03-10T${time}Z`);
    globals.gc = () => void done.push(time);
    releaseMemory({ now: () => now, monotonic: () => now } as Clock);
  };
  try {
    for (const time of ["10:00:02", "10:00:58", "10:00:30", "10:01:30", "10:10:29", "10:10:30"]) at(time);
  } finally {
    globals.gc = before;
  }
  assertEquals(done, ["10:00:30", "10:10:30"]);
});
