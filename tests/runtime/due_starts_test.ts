// Starts before all else, by a Controller whose work is made up.
import { assert, assertEquals } from "@std/assert";
import type { Place, PlaceWaiter } from "../../src/kube/client.ts";
import { Controller, type ControllerOptions } from "../../src/runtime/controller.ts";
import { atLeast } from "../support/expected.ts";
import { FakeClock, settleInMemory } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";

/** A controller that works until it is disposed of. */
class Working implements AsyncDisposable {
  readonly clock = new FakeClock(0, settleInMemory);
  readonly controller: Controller;
  readonly #stop = new AbortController();
  readonly #over: Promise<void>;

  constructor(optionsBy: (clock: FakeClock) => Omit<ControllerOptions, "name" | "clock">) {
    this.controller = new Controller({ name: "t", clock: this.clock, ...optionsBy(this.clock) });
    this.#over = this.controller.run(this.#stop.signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.clock.advance(6_000);
    await this.#over;
  }
}

/** Eight CronJobs a second come due, evenly: less than ten workers can do. Returns how many are settled. */
async function settledUnder({ startDue, seconds }: { startDue: boolean; seconds: number }): Promise<number> {
  const settled = new Set<string>();
  await using working = new Working((clock) => ({
    concurrency: 10,
    ...(startDue && { startDue: () => clock.sleep(500).then(() => undefined) }),
    reconcile: async (key) => {
      await clock.sleep(startDue ? 500 : 1_000);
      settled.add(key);
      return {};
    },
  }));
  for (let i = 0; i < seconds * 8; i++) working.controller.enqueueAt(`k${i}`, 1_000 + i * 125);
  await working.clock.advance(seconds * 1_000 + 1_000);
  return settled.size;
}

test("A steady trickle of starts does not starve settling", async () => {
  const before = await settledUnder({ startDue: false, seconds: 15 });
  assert(await settledUnder({ startDue: true, seconds: 15 }) > 0.9 * before);
});

test("A controller for which nothing came due ends at once when it is asked to", async () => {
  const stop = new AbortController();
  const startDue = () => Promise.resolve(undefined);
  const reconcile = () => Promise.resolve({});
  const over = new Controller({ name: "t", clock: new FakeClock(), startDue, reconcile }).run(stop.signal);
  await settleInMemory();
  stop.abort();
  await over;
});

test("A key whose last reconciliation failed starts at its instant", async () => {
  const starts: string[] = [];
  let failed = false;
  await using working = new Working((clock) => ({
    backoff: { initialMs: 20, random: () => 0 },
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
  }));
  const { clock, controller } = working;
  controller.enqueueAt("x", 60_000);
  controller.enqueueAt("y", 60_000);
  await clock.advance(59_990);
  controller.enqueue("x"); // a Job ended
  await clock.advance(10_000);
  assert(starts.includes("x 60000"), starts.join(", "));
});

test("A key that waits to be settled starts at its next instant all the same", async () => {
  const starts: string[] = [];
  await using working = new Working((clock) => ({
    concurrency: 1,
    startDue: (key) => {
      starts.push(`${key} ${clock.now()}`);
      return Promise.resolve({ dueAt: Math.floor(clock.now() / 1_000) * 1_000 + 1_000 });
    },
    // A status write takes 300 ms; each key comes back every second.
    reconcile: async () => {
      const requeueAt = (Math.floor(clock.now() / 1_000) + 1) * 1_000;
      await clock.sleep(300);
      return { requeueAt };
    },
  }));
  for (let i = 0; i < 6; i++) working.controller.enqueueAt(`k${i}`, 1_000);
  await working.clock.advance(4_500);
  // At once, but for the one that is being settled just then.
  const inTime = starts.filter((start) => / 2[012]\d\d$/.test(start));
  assertEquals(inTime.length, 6, starts.join(", "));
  assertEquals(inTime.filter((start) => start.endsWith(" 2000")).length >= 5, true, starts.join(", "));
});

test("A start is begun when there is a place for it, and gives it back whatever becomes of it", async () => {
  const waiting: PlaceWaiter[] = [];
  const starts: string[] = [];
  await using working = new Working((clock) => ({
    backoff: { initialMs: 20, random: () => 0 },
    whenFree: (_key, waiter) => void waiting.push(waiter),
    startDue: (key) => {
      starts.push(`${key} ${clock.now()}`);
      return key === "bad" ? Promise.reject(new Error("reset")) : Promise.resolve(undefined);
    },
    reconcile: () => Promise.resolve({}),
  }));
  const { clock, controller } = working;
  ["good", "bad", "away"].forEach((key, i) => controller.enqueueAt(key, 1_000 + i));
  await clock.advance(1_500);
  assertEquals([starts, waiting.length], [[], 3]);
  const released: number[] = [];
  const place = (i: number): Place => ({
    isHeld: true,
    waitedMs: 0,
    use: () => true,
    [Symbol.dispose]: () => void released.push(i),
  });
  const [good, bad, away] = atLeast(3, waiting);
  good.start(place(1));
  bad.start(place(2));
  away.turnAway(new Error("closed"));
  await clock.advance(10);
  assertEquals([starts, released], [["good 1500", "bad 1500"], [1, 2]]);
  // Both that failed are tried again.
  await clock.advance(1_000);
  assertEquals(waiting.length, 5);
  for (const waiter of waiting.slice(3)) waiter.turnAway(new Error("closed"));
});

/** A hold of streams that are never read to their end. */
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
  const done: string[] = [];
  await using working = new Working((clock) => ({
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
  }));
  const { clock, controller } = working;
  for (let i = 0; i < 20; i++) controller.enqueueAt(`k${i}`, 1_000);
  controller.enqueueAt("later", 2_000);
  await clock.advance(20_000);
  assert(done.includes("start later") && done.includes("settle k0") && done.includes("settle later"), done.join(", "));
});

test("A start that failed on its way is tried again although the others of its burst take long", async () => {
  const tries: string[] = [];
  await using working = new Working((clock) => ({
    backoff: { initialMs: 20, random: () => 0 },
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
  }));
  const { clock, controller } = working;
  controller.enqueueAt("x", 60_000);
  controller.enqueueAt("y", 60_000);
  await clock.advance(70_000);
  assert(tries.some((t) => t.endsWith(" 60020")), tries.join(", "));
});

test("Starts of a slow namespace hold back what its neighbours settle until it is known to be slow, and no longer", async () => {
  let settled: string[] = [];
  await using working = new Working((clock) => ({
    isSlow: (namespace) => namespace === "slow" && clock.now() % 10_000 >= 1_500,
    startDue: async (key) => {
      if (key.startsWith("slow/")) await clock.sleep(4_000);
      return undefined;
    },
    reconcile: (key) => {
      if (key.startsWith("other")) settled.push(`${key} ${clock.now()}`);
      return Promise.resolve({});
    },
  }));
  const { clock, controller } = working;
  // A burst leaves nothing behind for the next one.
  for (const from of [0, 10_000]) {
    settled = [];
    await clock.advance(from - clock.now());
    for (let i = 0; i < 20; i++) controller.enqueueAt(`slow/${i}`, from + 1_000);
    for (let i = 0; i < 20; i++) controller.enqueueAt(`other${i}/a`, from + 1_000);
    await clock.advance(2_000);
    const inTime = settled.filter((key) => key.endsWith(`/a ${from + 1_500}`));
    assertEquals([inTime.length, settled.length], [20, 20], settled.join(", "));
    // A new start of a neighbour begins no burst because of the slow ones.
    controller.enqueueAt("other/b", from + 2_000);
    controller.enqueue("other/c");
    await clock.advance(1);
    assertEquals(settled.slice(20), [`other/c ${from + 2_000}`, `other/b ${from + 2_000}`]);
  }
});

test("Starts that take long without being of slow namespaces hold back settling", async () => {
  let settled: string[] = [];
  await using working = new Working((clock) => ({
    isSlow: () => false,
    startDue: () => clock.sleep(3_000).then(() => undefined),
    reconcile: (key) => {
      settled.push(`${key} ${clock.now()}`);
      return Promise.resolve({});
    },
  }));
  const { clock, controller } = working;
  // The first burst has ended before it was too long: it ends no later one.
  for (const from of [0, 4_000]) {
    settled = [];
    for (let i = 0; i < 20; i++) controller.enqueueAt(`k/${i}`, from + 1_000);
    await clock.advance(2_000);
    controller.enqueue("other/a");
    await clock.advance(1_999);
    assertEquals(settled, []);
    await clock.advance(1);
    assertEquals(settled.length, 21);
  }
});

test("Starts in hundreds of slow namespaces do not ask for each of them whether the others are slow", async () => {
  let asked = 0;
  await using working = new Working((clock) => ({
    isSlow: () => ++asked > 0,
    startDue: () => clock.sleep(500).then(() => undefined),
    reconcile: () => Promise.resolve({}),
  }));
  for (let i = 0; i < 600; i++) working.controller.enqueueAt(`n${i}/a`, 1_000);
  await working.clock.advance(1_001);
  assert(asked < 20_000, `asked ${asked} times`);
});

test("Namespaces have their starts by turns, however many are due in another", async () => {
  const starts: string[] = [];
  await using working = new Working((clock) => ({
    startDue: (key) => {
      starts.push(key);
      return clock.sleep(3_000).then(() => undefined);
    },
    reconcile: () => Promise.resolve({}),
  }));
  const { clock, controller } = working;
  for (let i = 0; i < 100; i++) controller.enqueueAt(`many/k${i}`, 1_000);
  controller.enqueueAt("few/k", 1_000);
  await clock.advance(1_000);
  assertEquals([starts.indexOf("few/k") < 3, starts.length], [true, 101]);
});

test("A late key is settled during another namespace's burst, and other keys are not", async () => {
  const settled: string[] = [];
  await using working = new Working((clock) => ({
    startDue: async (key) => {
      if (key.startsWith("few/")) return { isLate: key === "few/late" };
      await clock.sleep(3_000);
    },
    reconcile: (key) => Promise.resolve(void settled.push(key)),
  }));
  const { clock, controller } = working;
  for (let i = 0; i < 100; i++) controller.enqueueAt(`many/k${i}`, 1_000);
  controller.enqueueAt("few/late", 1_000);
  controller.enqueueAt("few/started", 1_000);
  await clock.advance(1_500);
  assertEquals(settled, ["few/late"]);
  await clock.advance(3_000);
  assertEquals(settled.slice(0, 2), ["few/late", "few/started"]);
});

test("Awaited keys are settled during a burst, by a tenth of the workers, and other keys are not", async () => {
  const settled: string[] = [];
  await using working = new Working((clock) => ({
    concurrency: 20,
    isAwaited: (key) => key.startsWith("edited"),
    startDue: () => clock.sleep(3_000),
    reconcile: async (key) => {
      await clock.sleep(100);
      settled.push(key);
    },
  }));
  const { clock, controller } = working;
  for (let i = 0; i < 100; i++) controller.enqueueAt(`k${i}`, 1_000);
  await clock.advance(1_000);
  controller.enqueue("other");
  for (let i = 0; i < 6; i++) controller.enqueue(`edited${i}`);
  await clock.advance(250);
  assertEquals(settled, ["edited0", "edited1", "edited2", "edited3"]);
  await clock.advance(2_000);
  assertEquals(settled.slice(4), ["edited4", "edited5"]);
  await clock.advance(1_000);
  assertEquals(settled[6], "other");
});

test("Awaited keys of a namespace, however many fail again and again, hold up no key of another", async () => {
  const settled: string[] = [];
  await using working = new Working((clock) => ({
    concurrency: 10,
    backoff: { initialMs: 20, maxMs: 100, random: () => 0 },
    isAwaited: (key) => key.startsWith("refused/"),
    reconcile: async (key) => {
      await clock.sleep(50);
      if (key.startsWith("refused/")) throw new Error("denied");
      settled.push(key);
    },
  }));
  const { clock, controller } = working;
  for (let i = 0; i < 300; i++) controller.enqueue(`refused/k${i}`);
  await clock.advance(500);
  controller.enqueue("other/k");
  await clock.advance(150);
  assertEquals(settled, ["other/k"]);
});

test("Starts that send nothing leave other work its turn after 64 of them", async () => {
  const waiting: PlaceWaiter[] = [];
  let inARow = 0;
  let most = 0;
  const next = () => waiting.shift()?.start({ isHeld: true, waitedMs: 0, use: () => true, [Symbol.dispose]: next });
  await using working = new Working((clock) => {
    const { sleep } = clock;
    clock.sleep = (ms, signal) => {
      if (ms === 0) inARow = 0;
      return sleep.call(clock, ms, signal);
    };
    return {
      whenFree: (_key, waiter) => void waiting.push(waiter),
      startDue: () => {
        most = Math.max(most, ++inARow);
        return Promise.resolve(undefined);
      },
      reconcile: () => Promise.resolve({}),
    };
  });
  const { clock, controller } = working;
  for (let i = 0; i < 500; i++) controller.enqueueAt(`k${i}`, 1_000);
  await clock.advance(1_000);
  next();
  await clock.advance(1_000);
  assertEquals([waiting.length, most <= 64], [0, true], `${most}`);
});
