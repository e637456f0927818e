import { assert, assertEquals, assertRejects } from "@std/assert";
import * as fc from "fast-check";
import type { Lane, Place } from "../../../src/kube/client.ts";
import { LIMITED_LANES, STARVING_MS } from "../../../src/kube/lanes/places.ts";
import { RequestLanes, SLOW_MS } from "../../../src/kube/lanes/request_lanes.ts";
import { must } from "../../support/expected.ts";
import { settle } from "../../support/fake_clock.ts";
import { QuickClock, turns } from "../../support/quick_clock.ts";
import { test } from "../../support/test.ts";

const LANES = ["lease", ...LIMITED_LANES] as const;

function lanesOf(options: { maxInFlight?: number; qps?: number; burst?: number } = {}) {
  const clock = new QuickClock();
  const lanes = new RequestLanes({ clock, ...options });
  const started: string[] = [];
  const places = new Map<string, Place[]>();
  const want = async (lane: Lane, name: string = lane, namespace?: string) => {
    const place = await lanes.acquire(lane, namespace);
    started.push(name);
    places.set(name, [...places.get(name) ?? [], place]);
  };
  /** The oldest of this name has its answer. */
  const end = (name: string) => places.get(name)!.shift()![Symbol.dispose]();
  const inFlight = () => LANES.reduce((sum, lane) => sum + lanes.inFlight(lane), 0);
  const waiting = () => LANES.reduce((sum, lane) => sum + lanes.waiting(lane), 0);
  return { clock, lanes, started, want, end, inFlight, waiting };
}

test("RequestLanes lets the most urgent lane go first, and within a lane the oldest", async () => {
  const { started, want, end } = lanesOf({ maxInFlight: 1 });
  want("event", "first");
  for (const lane of LIMITED_LANES.toReversed()) want(lane, `${lane} 1`);
  want("run", "run 2");
  for (let i = 0; i < 7; i++) {
    await settle();
    end(started.at(-1)!);
  }
  assertEquals(started, ["first", "run 1", "run 2", "status 1", "read 1", "housekeeping 1", "event 1"]);
});

test("RequestLanes keeps room for a due run, however many others are wanted", async () => {
  const { inFlight, started, want } = lanesOf({ maxInFlight: 8 });
  for (const lane of ["event", "housekeeping", "read", "status"] as const) for (let i = 0; i < 20; i++) want(lane);
  await settle();
  assertEquals(inFlight(), 6);
  want("run");
  want("run");
  await settle();
  assertEquals(started.slice(-2), ["run", "run"]);
});

test("RequestLanes gives a starving lane the next place", async () => {
  const { clock, started, want, end } = lanesOf({ maxInFlight: 1 });
  await want("run");
  want("event");
  await clock.advance(1);
  for (let i = 0; i < 10; i++) want("run");
  await clock.advance(STARVING_MS);
  end("run");
  await settle();
  assertEquals(started, ["run", "event", "run"]);
});

test("RequestLanes holds everything back while it is paused, and goes on at once when the pause ends", async () => {
  const { clock, lanes, started, want } = lanesOf();
  lanes.pause(5_000);
  want("run");
  await clock.advance(4_999);
  assertEquals(started, []);
  await clock.advance(1);
  assertEquals(started, ["run"]);
  lanes.pause(5_000);
  want("event");
  await clock.advance(1_000);
  assertEquals(started, ["run"]);
  lanes.resume();
  await settle();
  assertEquals(started, ["run", "event"]);
});

test("RequestLanes sends a burst, then so many requests a second", async () => {
  const { clock, started, want } = lanesOf({ qps: 10, burst: 3 });
  for (let i = 0; i < 8; i++) want("run");
  await settle();
  assertEquals(started.length, 3);
  await clock.advance(200);
  assertEquals(started.length, 5);
  await clock.advance(300);
  assertEquals(started.length, 8);
});

test("RequestLanes lets a lease go at once, whatever waits for a place, for the rate or for the end of a pause", async () => {
  const { lanes, started, want } = lanesOf({ maxInFlight: 2, qps: 0.001, burst: 2 });
  for (let i = 0; i < 5; i++) want("run");
  want("lease");
  await settle();
  assertEquals(started, ["run", "run", "lease"]);
  lanes.pause(1_000);
  want("lease");
  await settle();
  assertEquals(started, ["run", "run", "lease", "lease"]);
});

test("RequestLanes forgets a request whose signal is aborted", async () => {
  const { lanes, started, want, end } = lanesOf({ maxInFlight: 1 });
  want("run", "first");
  const giveUp = new AbortController();
  const waiting = [1, 2].map(async () => await lanes.acquire("run", "", giveUp.signal));
  want("run", "last");
  await settle();
  giveUp.abort(new Error("enough"));
  for (const each of waiting) await assertRejects(() => each, Error, "enough");
  await assertRejects(() => lanes.acquire("run", "", giveUp.signal), Error, "enough");
  end("first");
  await settle();
  assertEquals(started, ["first", "last"]);
});

test("RequestLanes turns away what waits when it is closed", async () => {
  const { lanes, want } = lanesOf({ maxInFlight: 1 });
  want("run");
  const waiting = [1, 2].map(async () => await lanes.acquire("run"));
  lanes.close(new Error("closed"));
  for (const each of waiting) await assertRejects(() => each, Error, "closed");
});

test("RequestLanes starts who waits without a request of its own, and turns it away like the others", () => {
  const { lanes, inFlight } = lanesOf({ maxInFlight: 1 });
  const told: string[] = [];
  let held: Place | undefined;
  const waiter = (name: string) => ({
    start: (place: Place) => void (told.push(name), held = place),
    turnAway: (reason: unknown) => void told.push(`${name}: ${(reason as Error).message}`),
  });
  lanes.whenFree("run", "a", waiter("at once"));
  const giveUp = new AbortController();
  lanes.whenFree("run", "a", waiter("given up"), giveUp.signal);
  lanes.whenFree("run", "a", waiter("second"));
  lanes.whenFree("run", "a", waiter("closed"));
  giveUp.abort(new Error("enough"));
  lanes.whenFree("run", "a", waiter("too late"), giveUp.signal);
  const first = held!;
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  assertEquals([first.isHeld, held!.isHeld, inFlight()], [false, true, 1]);
  lanes.close(new Error("closed"));
  assertEquals(told, ["at once", "given up: enough", "too late: enough", "second", "closed: closed"]);
});

test("RequestLanes starts thousands one after the other that need their place for nothing", () => {
  const { lanes, inFlight, waiting } = lanesOf({ maxInFlight: 1 });
  let busy: Place | undefined;
  let started = 0;
  lanes.whenFree("run", "a", { start: (place) => void (busy = place), turnAway: () => {} });
  for (let i = 0; i < 20_000; i++) {
    const start = (place: Place) => {
      started++;
      place[Symbol.dispose]();
    };
    lanes.whenFree("run", `namespace-${i % 3}`, { start, turnAway: () => {} });
  }
  busy![Symbol.dispose]();
  assertEquals([started, inFlight(), waiting()], [20_000, 0, 0]);
});

test("RequestLanes starts every request in the end, and never too many at a time", async () => {
  const step = fc.oneof(
    fc.record({
      do: fc.constant("want" as const),
      lane: fc.constantFrom(...LANES),
      namespace: fc.constantFrom("a", "b", "c"),
    }),
    fc.record({ do: fc.constant("end" as const), which: fc.nat(20) }),
    fc.record({ do: fc.constant("wait" as const), ms: fc.constantFrom(10, SLOW_MS, STARVING_MS) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 5 }), fc.array(step, { maxLength: 60 }), async (maxInFlight, steps) => {
      const clock = new QuickClock();
      const lanes = new RequestLanes({ clock, maxInFlight });
      const running: { lane: Lane; place: Place; since: number }[] = [];
      let wanted = 0;
      let started = 0;
      const settle = async () => {
        await turns();
        const limited = running.filter(({ lane }) => lane !== "lease");
        assert(limited.filter(({ since }) => clock.monotonic() - since < SLOW_MS).length <= 2 * maxInFlight);
        assert(limited.length <= 4 * maxInFlight);
      };
      const end = async (which: number) => {
        must(running.splice(which, 1)[0]).place[Symbol.dispose]();
        await settle();
      };
      for (const step of steps) {
        if (step.do === "want") {
          wanted++;
          (async () => {
            const { lane } = step;
            const place = await lanes.acquire(lane, step.namespace);
            started++;
            running.push({ lane, place, since: clock.monotonic() });
          })();
        } else if (step.do === "wait") {
          await clock.advance(step.ms);
        } else if (running.length > 0) {
          await end(step.which % running.length);
        }
        await settle();
      }
      while (running.length > 0) await end(0);
      assertEquals(started, wanted);
      for (const lane of LANES) assertEquals([lanes.inFlight(lane), lanes.waiting(lane)], [0, 0]);
      lanes.close(new Error("over"));
    }),
    { numRuns: 200 },
  );
});

test("RequestLanes spends as little on each of 40,000 requests that wait as on each of 1,000", async () => {
  const signal = new AbortController().signal;
  const wait = async (count: number) => {
    const lanes = new RequestLanes({ clock: new QuickClock(), maxInFlight: 64 });
    await Promise.all(Array.from({ length: count }, async (_, i) => {
      using _place = await lanes.acquire("run", `namespace-${i % 1_000}`, signal);
      await Promise.resolve();
    }));
    lanes.close(new Error("over"));
  };
  // The same number of requests each time: what else the machine does weighs the same.
  const msOf = async (times: number, count: number) => {
    const began = performance.now();
    for (let i = 0; i < times; i++) await wait(count);
    return performance.now() - began;
  };
  await wait(1_000);
  const few = Math.min(await msOf(40, 1_000), await msOf(40, 1_000));
  const many = Math.min(await msOf(1, 40_000), await msOf(1, 40_000), await msOf(1, 40_000));
  assert(many < 8 * few, `${many} ms instead of ${few}`);
});

test("A place carries one request after the other, as the rate and pauses allow, each with a time of its own", async () => {
  const { clock, lanes } = lanesOf({ qps: 1, burst: 3 });
  const place = await lanes.acquire("run", "slow");
  assertEquals([place.use(), place.isHeld], [true, true]);
  // Two requests of 300 ms are none that is slow.
  await clock.advance(300);
  assertEquals(place.use(), true);
  await clock.advance(300);
  assertEquals([lanes.isSlow("run", "slow"), place.use()], [false, true]);
  assertEquals([place.use(), place.isHeld, lanes.inFlight("run")], [false, false, 0]);
  await clock.advance(5_000);
  const paused = await lanes.acquire("run", "slow");
  assertEquals(paused.use(), true);
  lanes.pause(1_000);
  assertEquals([paused.use(), lanes.inFlight("run")], [false, 0]);
});
