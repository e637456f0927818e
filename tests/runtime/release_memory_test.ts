import { assertEquals } from "@std/assert";
import type { Clock } from "../../src/base/clock.ts";
import { releaseMemory } from "../../src/runtime/release_memory.ts";
import { test } from "../support/test.ts";

test("memory is given back between the beginnings of minutes, the less often the more is in use, and not for little", () => {
  const globals = globalThis as { gc?: unknown };
  const before = globals.gc;
  const done: string[] = [];
  const at = (time: string, inUseMb: number) => {
    const now = Date.parse(`2026-03-10T${time}Z`);
    globals.gc = () => void done.push(time);
    releaseMemory({ now: () => now, monotonic: () => now } as Clock, () => inUseMb * 1_000_000);
  };
  try {
    for (const time of ["10:00:02", "10:00:58", "10:00:05", "10:00:34"]) at(time, 25);
    for (const time of ["10:00:35", "10:10:34"]) at(time, 500);
    for (const inUseMb of [501, 502]) at("10:10:35", inUseMb);
  } finally {
    globals.gc = before;
  }
  assertEquals(done, ["10:00:05", "10:00:35", "10:10:35"]);
});
