import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import fc from "fast-check";
import type { Lane } from "../../src/kube/client.ts";
import { LANES, RequestLanes, STARVING_MS } from "../../src/kube/request_lanes.ts";
import { FakeClock, settle } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";

/** Those whose requests wait for others to end. */
const LIMITED = LANES.filter((lane) => lane !== "lease");

function lanesOf(options: { maxInFlight?: number; qps?: number; burst?: number } = {}) {
  const clock = new FakeClock();
  const lanes = new RequestLanes({ clock, ...options });
  const started: string[] = [];
  const want = (lane: Lane, name: string = lane) => void lanes.acquire(lane).then(() => started.push(name));
  return { clock, lanes, started, want };
}

test("RequestLanes lets the most urgent lane go first, and within a lane the oldest", async () => {
  const { lanes, started, want } = lanesOf({ maxInFlight: 1 });
  want("event", "first");
  for (const lane of LIMITED.toReversed()) want(lane, `${lane} 1`);
  want("run", "run 2");
  for (let i = 0; i < 7; i++) {
    await settle();
    lanes.release(started.at(-1)!.split(" ")[0] === "first" ? "event" : started.at(-1)!.split(" ")[0] as Lane);
  }
  assertEquals(started, ["first", "run 1", "run 2", "status 1", "read 1", "housekeeping 1", "event 1"]);
});

test("RequestLanes keeps room for a due run, however many others are wanted", async () => {
  const { lanes, started, want } = lanesOf({ maxInFlight: 8 });
  for (const lane of ["event", "housekeeping", "read", "status"] as const) for (let i = 0; i < 20; i++) want(lane);
  await settle();
  assertEquals(lanes.inFlight, 6);
  want("run");
  want("run");
  await settle();
  assertEquals(started.slice(-2), ["run", "run"]);
});

test("RequestLanes gives a starving lane the next place", async () => {
  const { clock, lanes, started, want } = lanesOf({ maxInFlight: 1 });
  want("run");
  want("event");
  await clock.advance(1);
  for (let i = 0; i < 10; i++) want("run");
  await clock.advance(STARVING_MS);
  lanes.release("run");
  await settle();
  assertEquals(started, ["run", "event"]);
});

test("RequestLanes holds a paused lane back, and no other", async () => {
  const { clock, lanes, started, want } = lanesOf();
  lanes.pause("status", 5_000);
  want("status");
  want("event");
  await clock.advance(4_999);
  assertEquals(started, ["event"]);
  await clock.advance(1);
  assertEquals(started, ["event", "status"]);
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

test("RequestLanes lets a lease go at once, whatever waits for a place or for the rate, and only a pause holds it back", async () => {
  const { clock, lanes, started, want } = lanesOf({ maxInFlight: 2, qps: 0.001, burst: 2 });
  for (let i = 0; i < 5; i++) want("run");
  want("lease");
  await settle();
  assertEquals(started, ["run", "run", "lease"]);
  lanes.pause("lease", 1_000);
  want("lease");
  await clock.advance(999);
  assertEquals(started.length, 3);
  await clock.advance(1);
  assertEquals(started, ["run", "run", "lease", "lease"]);
});

test("RequestLanes forgets a request whose signal is aborted", async () => {
  const { lanes, started, want } = lanesOf({ maxInFlight: 1 });
  want("run", "first");
  const giveUp = new AbortController();
  const waiting = lanes.acquire("run", giveUp.signal);
  want("run", "last");
  giveUp.abort(new Error("enough"));
  await assertRejects(() => waiting, Error, "enough");
  await assertRejects(() => lanes.acquire("run", giveUp.signal), Error, "enough");
  lanes.release("run");
  await settle();
  assertEquals(started, ["first", "last"]);
});

test("RequestLanes turns away what waits when it is closed", async () => {
  const { lanes, want } = lanesOf({ maxInFlight: 1 });
  want("run");
  const waiting = lanes.acquire("run");
  lanes.close(new Error("closed"));
  await assertRejects(() => waiting, Error, "closed");
});

test("RequestLanes refuses limits that make no sense", () => {
  const clock = new FakeClock();
  assertThrows(() => new RequestLanes({ clock, maxInFlight: 0 }), RangeError, "'maxInFlight' must be at least 1");
  assertThrows(() => new RequestLanes({ clock, qps: 0 }), RangeError, "'qps' must be above 0");
  assertThrows(() => new RequestLanes({ clock, qps: 1, burst: 0 }), RangeError, "'burst' must be at least 1");
});

test("RequestLanes starts every request in the end, and never too many at a time", async () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant("want" as const), lane: fc.constantFrom(...LANES) }),
    fc.record({ do: fc.constant("release" as const), lane: fc.constant("run" as Lane) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 5 }), fc.array(step, { maxLength: 40 }), async (maxInFlight, steps) => {
      const lanes = new RequestLanes({ clock: new FakeClock(), maxInFlight });
      const running: Lane[] = [];
      let wanted = 0;
      let started = 0;
      const turns = async () => {
        for (let i = 0; i < 5; i++) await Promise.resolve();
        assert(running.filter((lane) => lane !== "lease").length <= maxInFlight);
      };
      for (const { do: what, lane } of steps) {
        if (what === "want") {
          wanted++;
          lanes.acquire(lane).then(() => {
            started++;
            running.push(lane);
          });
        } else if (running.length > 0) {
          lanes.release(running.shift()!);
        }
        await turns();
      }
      while (running.length > 0) {
        lanes.release(running.shift()!);
        await turns();
      }
      assertEquals(started, wanted);
      assertEquals([lanes.inFlight, lanes.waiting], [0, 0]);
    }),
    { numRuns: 200 },
  );
});
