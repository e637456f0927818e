import { assertEquals } from "@std/assert";
import { lookOften } from "../../../src/kubelet/files/pulse.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { test } from "../../support/test.ts";

test("All looks share one timer, which ends with the last of them", async () => {
  const clock = new FakeClock();
  const seen: string[] = [];
  const a = lookOften(clock, () => {
    seen.push("a");
    throw new Error("a full disk");
  });
  const b = lookOften(clock, () => void seen.push("b"));
  await clock.advance(400);
  assertEquals([seen.splice(0), clock.pending], [["a", "b", "a", "b"], 1]);
  a[Symbol.dispose]();
  a[Symbol.dispose]();
  await clock.advance(200);
  assertEquals([seen.splice(0), clock.pending], [["b"], 1]);
  b[Symbol.dispose]();
  assertEquals(clock.pending, 0);
  using _again = lookOften(clock, () => void seen.push("c"));
  await clock.advance(200);
  assertEquals([seen, clock.pending], [["c"], 1]);
});
