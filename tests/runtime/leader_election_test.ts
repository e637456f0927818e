import { assert, assertEquals, assertThrows } from "@std/assert";
import * as fc from "fast-check";
import { type Lease, LEASES } from "../../src/kube/resource.ts";
import { UnreachableError } from "../../src/kube/unreachable_error.ts";
import { LeaderElection, LeadershipLostError } from "../../src/runtime/leader_election.ts";
import type { LeaderElectionOptions } from "../../src/runtime/leader_election_options.ts";
import { QuickClock, turns } from "../support/quick_clock.ts";
import { test } from "../support/test.ts";
import { FakeApi, type Intercept, refusal } from "./fake_api.ts";

const START = Date.parse("2026-01-01T00:00:00Z");

/** One API server, and candidates that each have a clock of their own, which run side by side. */
class World implements AsyncDisposable {
  readonly api = new FakeApi();
  readonly candidates: Candidate[] = [];

  add(options: Partial<LeaderElectionOptions> = {}): Candidate {
    const candidate = new Candidate(this.api, `candidate-${this.candidates.length}`, options);
    this.candidates.push(candidate);
    return candidate;
  }

  /** Lets time pass for all of them, in steps small enough to be called at the same time. */
  async advance(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 100) {
      for (const { clock, stopped } of this.candidates) {
        if (stopped) clock.pause(100);
        else await clock.advance(100);
      }
      assert(this.candidates.filter(({ election }) => election.isLeader).length <= 1, "two candidates lead");
    }
  }

  get lease(): Lease {
    return this.api.all(LEASES)[0] as Lease;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const candidate of this.candidates) {
      candidate.stopped = false;
      candidate.intercept = undefined;
      await candidate.clock.advance(0);
      candidate.end();
      await candidate.clock.advance(20_000);
      await candidate.ended;
      assertEquals(candidate.clock.pending, 0);
    }
  }
}

class Candidate {
  readonly clock: QuickClock;
  readonly election: LeaderElection;
  readonly changes: boolean[] = [];
  /** Its connection to the server. */
  intercept: Intercept | undefined;
  /** By SIGSTOP. */
  stopped = false;
  readonly #stop = new AbortController();
  /** With what it ended, if not in peace. */
  readonly ended: Promise<unknown>;

  constructor(api: FakeApi, identity: string, options: Partial<LeaderElectionOptions>) {
    this.clock = options.clock as QuickClock | undefined ?? new QuickClock(START);
    const reaching = new Proxy(api, {
      get: (target, property) => {
        const value = Reflect.get(target, property, target);
        if (typeof value !== "function") return value;
        return async (...args: unknown[]) => {
          const { signal } = (args.at(-1) ?? {}) as { signal?: AbortSignal };
          const answer = this.intercept?.(String(property), LEASES, "");
          await (signal && answer ? Promise.race([answer, rejectOn(signal)]) : answer);
          return value.apply(target, args);
        };
      },
    });
    // A generator cannot be made asynchronous afterwards: watches go to the server as they are.
    const client = Object.assign(Object.create(reaching), { watch: api.watch.bind(api), list: api.list.bind(api) });
    this.election = new LeaderElection({
      namespace: "system",
      name: "lock",
      identity,
      random: () => 0,
      onChange: (leads) => this.changes.push(leads),
      ...options,
      client: options.client ?? client,
      clock: this.clock,
    });
    this.ended = this.election.run(this.#stop.signal).then(() => undefined, (error) => error);
  }

  end(): void {
    this.#stop.abort();
  }
}

function rejectOn(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
}

const unreachable: Intercept = () => {
  throw new UnreachableError("down");
};

test("LeaderElection makes the lease, leads, and renews it every two seconds", async () => {
  await using world = new World();
  const { election, changes } = world.add();
  await world.advance(100);
  await election.ready();
  assertEquals([election.isLeader, election.leader, changes], [true, "candidate-0", [false, true]]);
  assertEquals(world.lease.spec, {
    holderIdentity: "candidate-0",
    leaseDurationSeconds: 15,
    acquireTime: "2026-01-01T00:00:00.000000Z",
    renewTime: "2026-01-01T00:00:00.000000Z",
    leaseTransitions: 0,
  });
  await world.advance(5_000);
  assertEquals(world.lease.spec?.renewTime, "2026-01-01T00:00:04.000000Z");
  assertEquals(world.lease.spec?.acquireTime, "2026-01-01T00:00:00.000000Z");
  assertEquals(world.api.requests.filter((request) => request.startsWith("replace")).length, 2);
});

test("LeaderElection waits for as long as another one renews", async () => {
  await using world = new World();
  const [first, second] = [world.add(), world.add()];
  await world.advance(120_000);
  assertEquals([first.election.isLeader, second.election.isLeader], [true, false]);
  assertEquals(second.election.leader, "candidate-0");
  assertThrows(() => second.election.guard(), LeadershipLostError, "Cannot write as leader: another one leads");
});

test("LeaderElection hands over at once when the leader is stopped", async () => {
  await using world = new World();
  const [first, second] = [world.add(), world.add()];
  await world.advance(1_000);
  first.end();
  await world.advance(200);
  assertEquals([await first.ended, first.election.isLeader, second.election.isLeader], [undefined, false, true]);
  assertEquals(world.lease.spec?.leaseTransitions, 1);
  assertEquals(first.changes, [false, true, false]);
});

test("LeaderElection takes over when the leader crashed, once its lease has run out", async () => {
  await using world = new World();
  const [first, second] = [world.add(), world.add()];
  await world.advance(4_100);
  first.stopped = true;
  // It was renewed last at 4 s, and what is seen late counts late.
  await world.advance(14_600);
  assertEquals(second.election.isLeader, false);
  await world.advance(400);
  assertEquals([second.election.isLeader, world.lease.spec?.holderIdentity], [true, "candidate-1"]);
});

test("LeaderElection takes over at once when the lease is deleted", async () => {
  await using world = new World();
  const [first, second] = [world.add(), world.add()];
  await world.advance(1_000);
  first.intercept = unreachable;
  world.api.remove(LEASES, { namespace: "system", name: "lock" });
  // The old leader cannot know yet, and a deleted lease protects no one: that is what its users are warned of.
  await second.clock.advance(100);
  assertEquals(world.lease.spec?.holderIdentity, "candidate-1");
});

test("LeaderElection stops leading when it cannot renew for ten seconds, before another leads", async () => {
  await using world = new World();
  const [first, second] = [world.add(), world.add()];
  await world.advance(100);
  first.intercept = unreachable;
  await world.advance(9_700);
  first.election.guard();
  await world.advance(300);
  assertThrows(() => first.election.guard(), LeadershipLostError);
  await world.advance(2_000);
  const lost = await first.ended;
  assert(lost instanceof LeadershipLostError);
  assertEquals(lost.message, "Cannot go on as leader: the lease could not be renewed within 10000 ms");
  assertEquals(second.election.isLeader, false);
  await world.advance(6_000);
  assertEquals(second.election.isLeader, true);
});

test("LeaderElection abandons a renewal that gets no answer", async () => {
  await using world = new World();
  const first = world.add();
  await world.advance(100);
  first.intercept = () => new Promise(() => {/* never */});
  await world.advance(12_100);
  assert(await first.ended instanceof LeadershipLostError);
});

test("LeaderElection outlives a server that is away for a few seconds", async () => {
  await using world = new World();
  const first = world.add();
  await world.advance(100);
  first.intercept = unreachable;
  await world.advance(8_000);
  first.intercept = undefined;
  await world.advance(60_000);
  assertEquals([first.election.isLeader, world.lease.spec?.leaseTransitions], [true, 0]);
});

test("LeaderElection lets nothing pass its guard after a pause, and goes when another one has taken over", async () => {
  await using world = new World();
  const [first, second] = [world.add(), world.add()];
  await world.advance(1_000);
  first.stopped = true;
  await world.advance(20_000);
  assertEquals(second.election.isLeader, true);
  first.stopped = false;
  assertThrows(() => first.election.guard(), LeadershipLostError, "the lease was not renewed for");
  await world.advance(100);
  const lost = await first.ended;
  assertEquals((lost as Error).message, "Cannot go on as leader: candidate-1 holds the lease");
});

test("LeaderElection goes on after a pause in which no other has missed it", async () => {
  await using world = new World();
  const first = world.add();
  await world.advance(1_000);
  first.stopped = true;
  await world.advance(60_000);
  first.stopped = false;
  assertEquals(first.election.isLeader, false);
  await world.advance(100);
  first.election.guard();
});

test("LeaderElection lets nothing pass its guard after the machine slept, though the monotonic clock did too", () => {
  const clock = new SleepyClock(START);
  return withLeader(clock, async (election) => {
    clock.wallJumpMs = 3_600_000;
    assertThrows(() => election.guard(), LeadershipLostError, "the lease was not renewed for 36");
    await clock.advance(2_000);
    election.guard();
  });
});

test("LeaderElection is not misled by a wall clock that is set back", () => {
  const clock = new SleepyClock(START);
  return withLeader(clock, (election) => {
    clock.wallJumpMs = -3_600_000;
    election.guard();
    clock.pause(10_000);
    assertThrows(() => election.guard(), LeadershipLostError);
    return Promise.resolve();
  });
});

test("LeaderElection does not care what the wall clocks of the others say", async () => {
  await using world = new World();
  const first = world.add({ clock: new QuickClock(START - 86_400_000) });
  const second = world.add({ clock: new QuickClock(START + 86_400_000) });
  await world.advance(60_000);
  assertEquals([first.election.isLeader, second.election.isLeader], [true, false]);
  first.stopped = true;
  await world.advance(18_000);
  assertEquals(second.election.isLeader, true);
});

test("LeaderElection ends when another name is in the lease, by whatever means", async () => {
  await using world = new World();
  const first = world.add();
  await world.advance(1_000);
  world.api.put(LEASES, { ...world.lease, spec: { ...world.lease.spec, holderIdentity: "thief" } });
  await world.advance(2_000);
  assertEquals(((await first.ended) as Error).message, "Cannot go on as leader: thief holds the lease");
});

test("LeaderElection keeps what others wrote into the lease, and leads on", async () => {
  await using world = new World();
  const first = world.add();
  await world.advance(1_000);
  const { metadata, ...lease } = world.lease;
  world.api.put(LEASES, { ...lease, metadata: { ...metadata, labels: { team: "a" } } });
  await world.advance(2_000);
  assertEquals([first.election.isLeader, world.lease.metadata.labels?.team], [true, "a"]);
});

test("LeaderElection gives the lease back though a renewal was on its way", async () => {
  await using world = new World();
  const first = world.add();
  await world.advance(1_000);
  world.api.put(LEASES, world.lease);
  first.end();
  await world.advance(100);
  assertEquals([await first.ended, world.lease.spec?.holderIdentity], [undefined, ""]);
});

test("LeaderElection keeps the lease until it runs out where something written may still take effect", async () => {
  await using world = new World();
  const first = world.add({ mayRelease: () => false });
  const second = world.add();
  await world.advance(1_000);
  first.end();
  await world.advance(12_000);
  assertEquals([await first.ended, second.election.isLeader], [undefined, false]);
  assertEquals(world.lease.spec?.holderIdentity, "candidate-0");
  assertThrows(() => first.election.guard(), LeadershipLostError);
  await world.advance(6_000);
  assertEquals(second.election.isLeader, true);
});

test("LeaderElection ends in time when the server does not answer while the lease is given back", async () => {
  await using world = new World();
  const first = world.add();
  await world.advance(1_000);
  first.intercept = () => new Promise(() => {/* never */});
  first.end();
  await world.advance(2_000);
  assertEquals(await first.ended, undefined);
});

test("LeaderElection reports itself in Events, and says once what keeps it from the lease", async () => {
  await using world = new World();
  const recorded: string[] = [];
  const first = world.add({ recorder: { record: ({ reason, message }) => recorded.push(`${reason}: ${message}`) } });
  first.intercept = () => {
    throw refusal(403, "Forbidden", "not you");
  };
  await world.advance(10_000);
  assertEquals(first.election.isLeader, false);
  first.intercept = undefined;
  await world.advance(3_000);
  assertEquals(recorded, ["LeaderElection: candidate-0 became leader"]);
});

test("LeaderElection refuses timings that make no sense", () => {
  const make = (options: Partial<LeaderElectionOptions>) => () =>
    new LeaderElection({
      client: new FakeApi(),
      clock: new QuickClock(),
      namespace: "x",
      name: "y",
      identity: "z",
      ...options,
    });
  assertThrows(
    make({ leaseDurationMs: 500 }),
    RangeError,
    "'leaseDurationMs' must be at least 1000, current value is 500",
  );
  assertThrows(make({ renewDeadlineMs: 15_000 }), RangeError, "'renewDeadlineMs' must be below 'leaseDurationMs'");
  assertThrows(make({ retryPeriodMs: 9_000 }), RangeError, "'retryPeriodMs' must be");
});

test("LeaderElection never has two leaders, whichever is paused, cut off or stopped, and always one in the end", async () => {
  const candidate = fc.nat(2);
  const step = fc.oneof(
    fc.record({ do: fc.constantFrom("pause" as const, "cut" as const, "end" as const), candidate }),
    { weight: 3, arbitrary: fc.record({ do: fc.constantFrom("resume" as const, "connect" as const), candidate }) },
    {
      weight: 4,
      arbitrary: fc.record({ do: fc.constant("wait" as const), candidate: fc.integer({ min: 1, max: 12 }) }),
    },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      await using world = new World();
      for (let i = 0; i < 3; i++) world.add();
      for (const { do: what, candidate } of steps) {
        const chosen = world.candidates[candidate];
        if (what === "wait" || !chosen) await world.advance(candidate * 1_000);
        else if (what === "pause" || what === "resume") chosen.stopped = what === "pause";
        else if (what === "cut" || what === "connect") chosen.intercept = what === "cut" ? unreachable : undefined;
        else chosen.end();
      }
      world.add();
      await world.advance(40_000);
      assertEquals(world.candidates.filter(({ election }) => election.isLeader).length, 1);
    }),
    { numRuns: 40 },
  );
});

/** Its wall clock can jump away from its monotonic one. */
class SleepyClock extends QuickClock {
  wallJumpMs = 0;

  override now(): number {
    return super.now() + this.wallJumpMs;
  }
}

async function withLeader(clock: QuickClock, check: (election: LeaderElection) => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const election = new LeaderElection({
    client: new FakeApi(),
    clock,
    namespace: "system",
    name: "lock",
    identity: "me",
    random: () => 0,
  });
  const ended = election.run(stop.signal);
  await clock.advance(100);
  election.guard();
  await check(election);
  stop.abort();
  await turns();
  await ended;
}
