import { assert, assertEquals } from "@std/assert";
import type { Lane } from "../../../src/kube/client.ts";
import { RequestLanes, SLOW_MS } from "../../../src/kube/lanes/request_lanes.ts";
import { must } from "../../support/expected.ts";
import { QuickClock } from "../../support/quick_clock.ts";
import { test } from "../../support/test.ts";

/** Sends `count` requests of each namespace, whose answers take so long; returns when each left. */
function tenantsOf({ lanes, clock }: { lanes: RequestLanes; clock: QuickClock }, latenciesMs: Record<string, number>) {
  const left: Record<string, number[]> = {};
  const want = async (namespace: string, lane: Lane = "run") => {
    const wantedAt = clock.monotonic();
    using _place = await lanes.acquire(lane, namespace);
    (left[namespace] ??= []).push(clock.monotonic() - wantedAt);
    await clock.sleep(must(latenciesMs[namespace] ?? latenciesMs.default));
  };
  const ask = (namespace: string, count: number) => void Array.from({ length: count }, () => want(namespace));
  const latestMs = (...namespaces: string[]) => Math.max(...namespaces.flatMap((namespace) => must(left[namespace])));
  return { left, ask, latestMs };
}

test("RequestLanes keeps no one waiting for a slow namespace for longer than a moment", async () => {
  const clock = new QuickClock();
  const lanes = new RequestLanes({ clock, maxInFlight: 64 });
  const { left, ask, latestMs } = tenantsOf({ lanes, clock }, { slow: 9_000, default: 20 });
  const others = Array.from({ length: 100 }, (_, i) => `other-${i}`);
  ask("slow", 200);
  for (const namespace of others) ask(namespace, 1);
  await clock.advance(5_000);
  assertEquals(others.every((namespace) => must(left[namespace]).length === 1), true);
  assert(latestMs(...others) <= SLOW_MS + 100, `${latestMs(...others)} ms late`);
  // By now it is known: others wait for nothing.
  await clock.advance(60_000);
  assertEquals(left.slow?.length, 200);
  for (const namespace of others) left[namespace] = [];
  ask("slow", 200);
  for (const namespace of others.slice(0, 60)) ask(namespace, 1);
  await clock.advance(1_000);
  assertEquals(latestMs(...others.slice(0, 60)), 0);
  await clock.advance(60_000);
});

test("RequestLanes keeps no one waiting for several slow namespaces either, and lets these share", async () => {
  const clock = new QuickClock();
  const lanes = new RequestLanes({ clock, maxInFlight: 64 });
  const slow = Array.from({ length: 8 }, (_, i) => `slow-${i}`);
  const latenciesMs = Object.fromEntries(slow.map((namespace) => [namespace, 9_000]));
  const { left, ask, latestMs } = tenantsOf({ lanes, clock }, { ...latenciesMs, default: 20 });
  for (let i = 0; i < 50; i++) for (const namespace of slow) ask(namespace, 1);
  await clock.advance(300);
  for (let i = 0; i < 100; i++) ask(`other-${i}`, 1);
  await clock.advance(3_000);
  const others = Array.from({ length: 100 }, (_, i) => `other-${i}`);
  assert(latestMs(...others) <= SLOW_MS, `${latestMs(...others)} ms late`);
  const counts = slow.map((namespace) => must(left[namespace]).length);
  assert(Math.max(...counts) - Math.min(...counts) <= 1, `${counts}`);
  assertEquals(lanes.inFlight("run"), 64);
  await clock.advance(60_000);
});

test("RequestLanes has a quiet namespace's run answered within a second beside bursts at a server of 100 writes a second", async () => {
  const clock = new QuickClock();
  const lanes = new RequestLanes({ clock, maxInFlight: 64 });
  let servedAt = 0;
  /** The server answers in the order in which requests come. */
  const answered = () => {
    servedAt = Math.max(servedAt, clock.monotonic()) + 10;
    return clock.sleep(servedAt - clock.monotonic());
  };
  const latestMs = { quiet: 0, busy: 0 };
  const run = async (kind: keyof typeof latestMs, namespace: string) => {
    const wantedAt = clock.monotonic();
    using _place = await lanes.acquire("run", namespace);
    await answered();
    latestMs[kind] = Math.max(latestMs[kind], clock.monotonic() - wantedAt);
  };
  for (let i = 0; i < 3_000; i++) run("busy", `busy-${i % 8}`);
  for (let i = 0; i < 20; i++) {
    run("quiet", "quiet");
    await clock.advance(997);
  }
  await clock.advance(20_000);
  assert(latestMs.quiet <= 1_000, `${latestMs.quiet} ms late`);
  assert(latestMs.busy >= 30_000, `the burst took ${latestMs.busy} ms only`);
});

test("RequestLanes gives a namespace that is alone all places, and one that is slow no more than these", async () => {
  for (const latencyMs of [20, 9_000]) {
    const clock = new QuickClock();
    const lanes = new RequestLanes({ clock, maxInFlight: 64 });
    const { left, ask } = tenantsOf({ lanes, clock }, { default: latencyMs });
    ask("alone", 200);
    await clock.advance(0);
    assertEquals(left.alone?.length, 64);
    await clock.advance(latencyMs * 4);
    assertEquals(left.alone?.length, 200);
  }
});

test("RequestLanes takes a namespace for a quick one again that answers in time", async () => {
  const clock = new QuickClock();
  const lanes = new RequestLanes({ clock, maxInFlight: 4 });
  const latenciesMs = { once: 9_000, slow: 9_000, default: 20 };
  const { left, ask } = tenantsOf({ lanes, clock }, latenciesMs);
  ask("once", 4);
  await clock.advance(10_000);
  latenciesMs.once = 20;
  ask("once", 8);
  await clock.advance(1_000);
  // Now the places for slow ones are taken by others.
  ask("slow", 4);
  await clock.advance(1_000);
  ask("slow", 50);
  left.once = [];
  ask("once", 4);
  await clock.advance(100);
  assertEquals(left.once, [0, 0, 0, 0]);
  await clock.advance(200_000);
});

test("RequestLanes lets a namespace that was slow for a moment go on at once beside one that has all places of slow ones", async () => {
  const clock = new QuickClock();
  const lanes = new RequestLanes({ clock, maxInFlight: 4 });
  const latenciesMs = { moment: SLOW_MS, slow: 9_000, default: 20 };
  const { left, ask, latestMs } = tenantsOf({ lanes, clock }, latenciesMs);
  ask("slow", 50);
  ask("moment", 4);
  await clock.advance(1_500);
  assertEquals([lanes.isSlow("run", "slow"), lanes.isSlow("run", "moment"), lanes.isSlow("status", "slow")], [
    true,
    true,
    false,
  ]);
  latenciesMs.moment = 20;
  left.moment = [];
  ask("moment", 12);
  await clock.advance(1_000);
  assertEquals([left.moment.length, lanes.isSlow("run", "moment")], [12, false]);
  assert(latestMs("moment") <= 9 * 20, `${latestMs("moment")} ms late`);
  await clock.advance(200_000);
});

test("RequestLanes lets fewer go at a time after an overload, and more again with each answer", async () => {
  const clock = new QuickClock();
  const lanes = new RequestLanes({ clock, maxInFlight: 64 });
  const { ask } = tenantsOf({ lanes, clock }, { default: 20 });
  const limits = [];
  for (let i = 0; i < 5; i++) {
    lanes.lowerLimit();
    limits.push(lanes.limit);
  }
  assertEquals(limits, [32, 16, 8, 8, 8]);
  ask("a", 100);
  await clock.advance(1_000);
  assert(lanes.limit > 12 && lanes.limit < 20, `${lanes.limit}`);
  ask("a", 3_000);
  await clock.advance(10_000);
  assertEquals(lanes.limit, 64);
});
