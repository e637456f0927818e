// What starting before settling could break, each once.
import { assert, assertEquals } from "@std/assert";
import { MANAGED, RELEASING_VALUE, TRIGGER } from "../../src/cronjob/api/annotations.ts";
import { FLAVOURS, TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import type { Place, PlaceWaiter } from "../../src/kube/client.ts";
import { Controller } from "../../src/runtime/controller.ts";
import { formatTime } from "../../src/schedule/epoch_ms.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";
import { Starting } from "./support/starting.ts";
import { at } from "./support/world.ts";

test("Two refused creations do not make it turn in circles", async () => {
  const s = new Starting({ annotations: { [TRIGGER]: "1" }, armed: "10:00:30" });
  s.fates = Array(400).fill("refused");
  s.set("10:01");
  await s.fire();
  s.deliverAll();
  let creations = 0;
  for (let round = 0; round < 100; round++) {
    const { again } = await s.reconciler.reconcile("default/c", new AbortController().signal);
    if (!again) break;
    creations = s.server.requests.filter((r) => r === "create jobs").length;
  }
  assert(creations <= 4, `${creations} creations within one instant`);
});

for (const flavour of FLAVOURS) {
  test(`What was started is recorded when the process ends before it is settled (${flavour.controllerName})`, async () => {
    const s = new Starting({ flavour });
    await s.comeToRest();
    s.set("10:01");
    assertEquals(await s.fire(), ["10:01"]);
    assertEquals(s.cronJob.status?.lastScheduleTime, undefined);
    await s.reconciler.recordStarted(new AbortController().signal);
    assertEquals(s.cronJob.status?.lastScheduleTime, formatTime(at("10:01")));
    const { length } = s.server.requests;
    await s.reconciler.recordStarted(new AbortController().signal);
    assertEquals(s.server.requests.length, length, "Nothing is left to record");
  });
}

test("A process that ends and is refused leaves the record to the next one", async () => {
  const s = new Starting({ armed: "10:00:30" });
  await s.comeToRest();
  s.set("10:01");
  await s.fire();
  s.fates = ["refused"];
  await s.reconciler.recordStarted(new AbortController().signal);
  s.restart();
  s.deliverAll();
  await s.comeToRest();
  assertEquals([s.cronJob.status?.lastScheduleTime, s.slots()], [formatTime(at("10:01")), ["10:01"]]);
});

test("A released CronJob that this controller goes on running keeps its schedule", async () => {
  const s = new Starting({ spec: { suspend: true }, annotations: { [MANAGED]: "true" } });
  await s.comeToRest();
  s.isDirty = false;
  s.edit({ metadata: { annotations: { [MANAGED]: RELEASING_VALUE } } });
  s.deliverAll();
  let wake = await s.settle();
  s.isDirty = false;
  for (let i = 0; i < 5; i++) {
    s.deliverAll();
    if (!s.isDirty) break;
    s.isDirty = false;
    wake = await s.settle();
  }
  assertEquals(s.cronJob.metadata.annotations?.[MANAGED], undefined);
  assertEquals(s.cronJob.spec.suspend, false);
  assertEquals(wake, "10:01");
});

test("The end of a run is told that is recorded on the way to a Replace", async () => {
  const s = new Starting({ flavour: TUTORIAL, spec: { concurrencyPolicy: "Replace" } });
  await s.comeToRest();
  s.set("10:01");
  await s.fire();
  await s.comeToRest();
  s.set("10:01:59");
  s.finish("10:01");
  s.deliverAll();
  s.set("10:02");
  await s.fire();
  // 10:02 has started at its instant, and a run by hand replaces it before anything is recorded.
  s.edit({ metadata: { annotations: { [TRIGGER]: "x" } } });
  s.deliverAll();
  await s.comeToRest();
  assertEquals(s.slots().length, 3);
  assertEquals(s.events.filter((e) => e.startsWith("SawCompletedJob")).length, 1, s.events.join("\n"));
});

test("An armed run of a grid that a Job has moved does not start", async () => {
  const make = async () => {
    const s = new Starting({ flavour: TUTORIAL, spec: { schedule: "@every 60s" }, created: "10:00" });
    await s.comeToRest();
    return s;
  };
  const other = await make();
  other.set("10:00:40");
  const s = await make();
  s.set("10:00:45");
  // A run of 10:00:40 arrives: a former leader's late write.
  s.server.put("jobs", {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name: `c-${Date.parse("2026-03-10T10:00:40Z") / 1000}`,
      namespace: "default",
      uid: "late",
      resourceVersion: "",
      creationTimestamp: "2026-03-10T10:00:40Z",
      annotations: { [TUTORIAL.scheduledTimeAnnotation]: "2026-03-10T10:00:40Z" },
      ownerReferences: [{
        apiVersion: "batch.tutorial.kubebuilder.io/v1",
        kind: "CronJob",
        name: "c",
        uid: "u",
        controller: true,
      }],
    },
  });
  s.deliverAll();
  s.set("10:01");
  assertEquals(await s.fire(), []);
});

test("A CronJob without a spec can be reconciled again before its own status arrives", async () => {
  const s = new Starting({ flavour: TUTORIAL });
  const { spec: _, ...bare } = s.cronJob;
  s.server.put("cronjobs", bare as never);
  s.deliverAll();
  await s.settle();
  await s.settle();
});

test("Forbid starts nothing beside a Job whose name was met and that could not be looked at", async () => {
  const s = new Starting({ flavour: TUTORIAL, spec: { concurrencyPolicy: "Forbid" } });
  await s.comeToRest();
  const twin = new Starting({ flavour: TUTORIAL });
  await twin.comeToRest();
  twin.set("10:01");
  await twin.fire();
  // A former leader's late write, which no cache shows.
  s.server.put("jobs", twin.server.created[0].job);
  s.set("10:01");
  s.fates = ["ok", "lostBefore"];
  await s.fire().catch(() => {});
  s.set("10:02");
  assertEquals(await s.fire(), []);
});

test("A replaced Job that the cache shows late is not taken for a running one that went missing", async () => {
  const s = new Starting({ flavour: TUTORIAL, spec: { concurrencyPolicy: "Replace" } });
  await s.comeToRest();
  s.set("10:01");
  await s.fire();
  await s.settle();
  s.cronJobs.deliver();
  s.set("10:02");
  await s.fire();
  await s.settle();
  s.cronJobs.deliver();
  s.set("10:02:10");
  await s.settle();
  s.cronJobs.deliver();
  // Now the first Job's creation arrives, its deletion not yet.
  s.jobs.deliver(1);
  await s.settle();
  assertEquals(s.cronJob.status?.active?.length, 1, "status.active");
  await s.comeToRest();
  await s.comeToRest();
  assertEquals(s.events.filter((e) => e.startsWith("MissingJob")), []);
});

async function load({ startDue, seconds }: { startDue: boolean; seconds: number }) {
  const clock = new FakeClock(0);
  const settled = new Map<string, number>();
  const controller: Controller = new Controller({
    name: "t",
    clock,
    concurrency: 10,
    ...(startDue && {
      startDue: async () => {
        await clock.sleep(500);
        return undefined;
      },
    }),
    reconcile: async (key) => {
      await clock.sleep(startDue ? 500 : 1_000);
      settled.set(key, (settled.get(key) ?? 0) + 1);
      return {};
    },
  });
  const stop = new AbortController();
  const running = controller.run(stop.signal);
  // Eight CronJobs a second come due, evenly: less than ten workers can do.
  for (let i = 0; i < seconds * 8; i++) controller["enqueueAt"](`k${i}`, 1_000 + i * 125);
  await clock.advance(seconds * 1_000 + 1_000);
  const count = settled.size;
  const { longestWaitMs } = controller.queue;
  stop.abort();
  await clock.advance(6_000);
  await running;
  return { settled: count, longestWaitMs };
}

test("A steady trickle of starts does not starve settling", async () => {
  const before = await load({ startDue: false, seconds: 15 });
  const now = await load({ startDue: true, seconds: 15 });
  assert(now.settled > 0.9 * before.settled);
});

test("A key whose last reconciliation failed starts at its instant", async () => {
  const clock = new FakeClock(0);
  const starts: string[] = [];
  let failed = false;
  const controller = new Controller({
    name: "t",
    clock,
    concurrency: 10,
    backoff: { initialMs: 20, jitter: 0 },
    startDue: async (key) => {
      starts.push(`${key} ${clock.now()}`);
      await clock.sleep(3_000);
      return undefined;
    },
    reconcile: (key) => {
      if (key === "x" && clock.now() === 59_990 && !failed) {
        failed = true;
        throw new Error("conflict");
      }
      if (key === "x") starts.push(`settle x ${clock.now()}`);
      return Promise.resolve({});
    },
  });
  const stop = new AbortController();
  const running = controller.run(stop.signal);
  controller.enqueueAt("x", 60_000);
  controller.enqueueAt("y", 60_000);
  await clock.advance(59_990);
  controller.enqueue("x"); // a Job ended
  await clock.advance(10_000);
  stop.abort();
  await clock.advance(6_000);
  await running;
  assert(starts.includes("x 60000"), starts.join(", "));
});

test("A key that waits to be settled starts at its next instant all the same", async () => {
  const clock = new FakeClock(0);
  const starts: string[] = [];
  const controller = new Controller({
    name: "t",
    clock,
    concurrency: 1,
    startDue: (key) => {
      starts.push(`${key} ${clock.now()}`);
      return Promise.resolve(Math.floor(clock.now() / 1_000) * 1_000 + 1_000);
    },
    // A status write takes 300 ms; each key comes back every second.
    reconcile: async () => {
      const requeueAt = (Math.floor(clock.now() / 1_000) + 1) * 1_000;
      await clock.sleep(300);
      return { requeueAt };
    },
  });
  const stop = new AbortController();
  const running = controller.run(stop.signal);
  for (let i = 0; i < 6; i++) controller.enqueueAt(`k${i}`, 1_000);
  await clock.advance(4_500);
  stop.abort();
  await clock.advance(6_000);
  await running;
  // At once, but for the one that is being settled just then.
  const inTime = starts.filter((start) => / 2[012]\d\d$/.test(start));
  assertEquals(inTime.length, 6, starts.join(", "));
  assertEquals(inTime.filter((start) => start.endsWith(" 2000")).length >= 5, true, starts.join(", "));
});

test("A start is begun when there is a place for it, and gives it back whatever becomes of it", async () => {
  const clock = new FakeClock(0);
  const waiting: PlaceWaiter[] = [];
  const starts: string[] = [];
  const controller = new Controller({
    name: "t",
    clock,
    backoff: { initialMs: 20, jitter: 0 },
    whenFree: (_key, waiter) => void waiting.push(waiter),
    startDue: (key) => {
      starts.push(`${key} ${clock.now()}`);
      return key === "bad" ? Promise.reject(new Error("reset")) : Promise.resolve(undefined);
    },
    reconcile: () => Promise.resolve({}),
  });
  const stop = new AbortController();
  const running = controller.run(stop.signal);
  ["good", "bad", "away"].forEach((key, i) => controller.enqueueAt(key, 1_000 + i));
  await clock.advance(1_500);
  assertEquals([starts, waiting.length], [[], 3]);
  const released: number[] = [];
  const place = (i: number): Place => ({ isHeld: true, waitedMs: 0, [Symbol.dispose]: () => void released.push(i) });
  const [good, bad, away] = waiting;
  good.start(place(1));
  bad.start(place(2));
  away.turnAway(new Error("closed"));
  await clock.advance(10);
  assertEquals([starts, released], [["good 1500", "bad 1500"], [1, 2]]);
  // Both that failed are tried again.
  await clock.advance(1_000);
  assertEquals(waiting.length, 5);
  for (const waiter of waiting.slice(3)) waiter.turnAway(new Error("closed"));
  stop.abort();
  await clock.advance(6_000);
  await running;
});

/** A hold of streams that nobody ever reads to their end. */
class UnreadHold {
  isHeld = false;

  hold(): void {
    this.isHeld = true;
  }

  drain(): Promise<void> {
    return new Promise(() => {});
  }

  release(): Promise<void> {
    this.isHeld = false;
    return this.drain();
  }
}

test("News that is never read does not stop starts for good", async () => {
  const clock = new FakeClock(0);
  const done: string[] = [];
  const controller = new Controller({
    name: "t",
    clock,
    hold: new UnreadHold(),
    startDue: async (key) => {
      await clock.sleep(100);
      done.push(`start ${key}`);
      return undefined;
    },
    reconcile: (key) => {
      done.push(`settle ${key}`);
      return Promise.resolve({});
    },
  });
  const stop = new AbortController();
  const running = controller.run(stop.signal);
  for (let i = 0; i < 20; i++) controller.enqueueAt(`k${i}`, 1_000);
  controller.enqueueAt("later", 2_000);
  await clock.advance(20_000);
  assert(done.includes("start later") && done.includes("settle k0") && done.includes("settle later"), done.join(", "));
  stop.abort();
  await clock.advance(6_000);
  await running;
});

test("With a deadline and catchUp All the run of this instant is not lost to a long burst", async () => {
  const s = new Starting({
    flavour: TUTORIAL,
    created: "10:00",
    armed: "10:00:00",
    spec: { schedule: "@every 1s", catchUp: { policy: "All" }, startingDeadlineSeconds: 3 },
  });
  await s.comeToRest();
  // A burst of others held the process up for a second: two runs are due, and the key stays due until none is.
  s.set("10:00:02");
  await s.fire();
  await s.fire();
  // The burst lasts 5 s, in which nothing is settled.
  s.set("10:00:07");
  await s.comeToRest();
  assert(s.slots().includes("10:00:02") && s.slots().includes("10:00:01"));
});

test("A start that failed on its way is tried again although the others of its burst take long", async () => {
  const clock = new FakeClock(0);
  const tries: string[] = [];
  const controller = new Controller({
    name: "t",
    clock,
    concurrency: 10,
    backoff: { initialMs: 20, jitter: 0 },
    startDue: async (key) => {
      tries.push(`${key} ${clock.now()}`);
      if (key === "x") throw new TypeError("connection reset");
      await clock.sleep(4_000);
      return undefined;
    },
    reconcile: (key) => {
      if (key === "x") tries.push(`settle x ${clock.now()}`);
      return Promise.resolve({});
    },
  });
  const stop = new AbortController();
  const running = controller.run(stop.signal);
  controller.enqueueAt("x", 60_000);
  controller.enqueueAt("y", 60_000);
  await clock.advance(70_000);
  stop.abort();
  await clock.advance(6_000);
  await running;
  assert(tries.some((t) => t.endsWith(" 60020")), tries.join(", "));
});
