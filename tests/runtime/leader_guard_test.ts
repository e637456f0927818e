import { assertEquals, assertThrows } from "@std/assert";
import { LeaderElection, LeadershipLostError } from "../../src/runtime/leader_election.ts";
import { QuickClock, turns } from "../support/quick_clock.ts";
import { test } from "../support/test.ts";
import { FakeApi } from "./support/fake_api.ts";
import { START, TIMINGS, World } from "./support/candidates.ts";

test("LeaderElection lets nothing pass its guard after a pause, and goes when another one has taken over", async () => {
  await using world = new World();
  const [first, second] = [world.add(), world.add()];
  await world.advance(1_000);
  first.stopped = true;
  await world.advance(20_000);
  assertEquals(second.election.isLeader, true);
  first.stopped = false;
  assertThrows(() => first.election.guard(), LeadershipLostError, "the lease was not renewed for");
  assertEquals([first, second].map(({ election }) => election.overdueMs > 0), [true, false]);
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
    ...TIMINGS,
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
