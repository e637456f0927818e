import { assert, assertEquals, assertThrows } from "@std/assert";
import * as fc from "fast-check";
import { LEASES } from "../../src/kube/resource.ts";
import { LeadershipLostError } from "../../src/runtime/leader_election.ts";
import { configureLogging } from "../../src/telemetry/logging.ts";
import { test } from "../support/test.ts";
import { refusal } from "./support/fake_api.ts";
import { unreachable, World } from "./support/candidates.ts";

test("LeaderElection makes the lease, leads, and renews it every two seconds", async () => {
  await using world = new World();
  const { election, requests, changes } = world.add();
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
  assertEquals(requests.filter((request) => request.startsWith("replace")).length, 2);
});

test("LeaderElection writes beside its name what it is given, and leaves other annotations", async () => {
  await using world = new World();
  const annotationsFor = (identity: string) => ({ serves: identity });
  const [first, second] = [world.add({ annotationsFor }), world.add({ annotationsFor })];
  await world.advance(100);
  assertEquals(world.lease.metadata.annotations, { serves: "candidate-0" });
  first.end();
  await world.advance(200);
  assertEquals([second.election.isLeader, world.lease.metadata.annotations], [true, { serves: "candidate-1" }]);
});

test("LeaderElection waits for as long as another one renews", async () => {
  await using world = new World();
  const [first, second] = [world.add(), world.add()];
  await world.advance(120_000);
  assertEquals([first.election.isLeader, second.election.isLeader], [true, false]);
  assertEquals(second.election.leader, "candidate-0");
  assertThrows(() => second.election.guard(), LeadershipLostError, "Cannot write as leader: another one leads");
});

test("LeaderElection hands over at once when the leader is stopped, and all say who leads", async () => {
  const lines: string[] = [];
  configureLogging({ level: "info", format: "text", write: (line) => lines.push(line) });
  using _quiet = { [Symbol.dispose]: () => void configureLogging({ level: "fatal", format: "text", write: () => {} }) };
  await using world = new World();
  const [first, second, third] = [world.add(), world.add(), world.add()];
  await world.advance(1_000);
  first.end();
  await world.advance(200);
  assertEquals([await first.ended, first.election.isLeader, second.election.isLeader], [undefined, false, true]);
  assertEquals(world.lease.spec?.leaseTransitions, 1);
  assertEquals(first.changes, [false, true, false]);
  assertEquals(third.election.leader, "candidate-1");
  const said = lines.map((line) => /candidate-\d leads/.exec(line)?.[0]).filter((leader) => leader !== undefined);
  assertEquals(said, ["candidate-0 leads", "candidate-0 leads", "candidate-1 leads"]);
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
