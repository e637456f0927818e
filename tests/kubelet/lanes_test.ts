import { assertEquals } from "@std/assert";
import { Lanes } from "../../src/kubelet/engine/lanes.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";

const MANY = 200;

test("Hooks that wait for others never keep them from their start", async () => {
  const lanes = new Lanes();
  const last = Promise.withResolvers<void>();
  const waiting = Array.from({ length: MANY }, () => lanes.inTurn("hook", () => last.promise));
  await lanes.inTurn("hook", () => Promise.resolve(last.resolve()));
  await Promise.all(waiting);
  await lanes.idle();
});

test("Probes that wait keep others of their kind waiting, but neither hooks nor launches", async () => {
  const lanes = new Lanes();
  const end = Promise.withResolvers<void>();
  const begun: string[] = [];
  const begin = (lane: "probe" | "hook" | "launch") =>
    lanes.inTurn(lane, () => {
      begun.push(lane);
      return end.promise;
    });
  const all = [...Array.from({ length: MANY }, () => begin("probe")), begin("hook"), begin("launch")];
  await new FakeClock().advance(0);
  assertEquals(begun, [...Array(8).fill("probe"), "hook", "launch"]);
  end.resolve();
  await Promise.all(all);
  assertEquals(begun.length, MANY + 2);
});

test("What is abandoned leaves the lane that it waits for", async () => {
  const lanes = new Lanes();
  const end = Promise.withResolvers<void>();
  const running = Array.from({ length: 3 }, () => lanes.inTurn("pull", () => end.promise));
  const stop = new AbortController();
  const begun: string[] = [];
  const abandoned = lanes.inTurn("pull", () => Promise.resolve(begun.push("abandoned")), stop.signal).catch(() => {});
  const next = lanes.inTurn("pull", () => Promise.resolve(begun.push("next")));
  stop.abort();
  end.resolve();
  await Promise.all([...running, abandoned, next]);
  assertEquals(begun, ["next"]);
});
