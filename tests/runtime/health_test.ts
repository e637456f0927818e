import { assertEquals } from "@std/assert";
import { Controller } from "../../src/runtime/controller.ts";
import { informerChecks, leadershipChecks, queueChecks } from "../../src/runtime/health.ts";
import { atLeast, must } from "../support/expected.ts";
import { FakeClock, settle } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";
import { running } from "../support/running.ts";

const REFUSED = new Error("refused\nby many words");

const INFORMERS: [{ synced: boolean; connected: boolean; error: unknown }, cache: string, watch: string][] = [
  [{ synced: false, connected: false, error: undefined }, "no whole list yet", "not opened yet"],
  [{ synced: false, connected: false, error: REFUSED }, "refused", "refused"],
  [{ synced: true, connected: true, error: undefined }, "ok", "ok"],
  // Between two watches.
  [{ synced: true, connected: false, error: undefined }, "ok", "ok"],
  [{ synced: true, connected: false, error: REFUSED }, "ok", "refused"],
  // Open again, and nothing has happened since.
  [{ synced: true, connected: true, error: REFUSED }, "ok", "ok"],
];

test("informerChecks() report a cache without a list and a watch that an error keeps away", () => {
  for (const [informer, cache, watch] of INFORMERS) {
    const checks = informerChecks({ groupResource: "jobs.batch", ...informer });
    assertEquals(checks.map(({ name, live }) => [name, live]), [["cache/jobs.batch", false], [
      "watch/jobs.batch",
      false,
    ]]);
    const answers = checks.map((check) => check.check()).map(({ ok, detail }) => ok ? "ok" : detail);
    assertEquals(answers, [cache, watch]);
  }
});

test("queueChecks() report keys that wait too long, and call for a new start when work on one never ends", async () => {
  const clock = new FakeClock();
  const held = Promise.withResolvers<void>();
  const controller = new Controller({ name: "c", clock, concurrency: 1, reconcile: () => held.promise });
  const answers = () => queueChecks(controller).map((check) => [check.name, check.live, check.check().ok]);
  assertEquals(must(queueChecks(controller)[0]).check(), { ok: true, detail: "not at work" });
  await using _ = running(controller);
  for (const key of ["a", "b"]) controller.enqueue(key);
  await settle();
  assertEquals(answers(), [["queue/c", false, true], ["work/c", true, true]]);
  await clock.advance(61_000);
  assertEquals(answers(), [["queue/c", false, false], ["work/c", true, true]]);
  assertEquals(must(queueChecks(controller)[0]).check().detail, "1 waiting, 1 at work, one for 61 s");
  await clock.advance(30 * 60_000);
  assertEquals(answers(), [["queue/c", false, false], ["work/c", true, false]]);
  held.resolve();
  await settle();
  assertEquals(answers(), [["queue/c", false, true], ["work/c", true, true]]);
});

test("leadershipChecks() say who leads, fail on a leader in doubt, and call for a new start when it notices nothing", () => {
  const cases: [{ isLeader: boolean; hasLed: boolean; leader?: string; overdueMs: number }, string, string][] = [
    [{ isLeader: false, hasLed: false, overdueMs: 0 }, "+ standing by, no known replica leads", "+"],
    [{ isLeader: false, hasLed: false, leader: "a", overdueMs: 0 }, "+ standing by, a leads", "+"],
    [{ isLeader: true, hasLed: true, leader: "me", overdueMs: 0 }, "+ leading", "+"],
    [{ isLeader: false, hasLed: true, leader: "me", overdueMs: 19_000 }, "- the lease is no longer sure", "+"],
    [{ isLeader: false, hasLed: true, leader: "me", overdueMs: 21_000 }, "- the lease is no longer sure", "-"],
  ];
  for (const [{ leader, ...election }, ready, live] of cases) {
    const [readiness, liveness] = atLeast(2, leadershipChecks({ leader, ...election }));
    assertEquals([readiness.live, liveness.live], [false, true]);
    const { ok, detail } = readiness.check();
    assertEquals([`${ok ? "+" : "-"} ${detail}`, liveness.check().ok ? "+" : "-"], [ready, live]);
  }
});
