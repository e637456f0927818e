import { assert, assertEquals } from "@std/assert";
import { PRODUCTION } from "../../src/cronjob/api/flavour.ts";
import { simulateAll } from "../../src/simulate/fleet.ts";
import { simulate, Turns } from "../../src/simulate/simulator.ts";
import { at, world } from "../cronjob/support/world.ts";
import { test } from "../support/test.ts";

class CountedTurns extends Turns {
  steps = 0;

  override afterStep(steps?: number): Promise<void> {
    this.steps++;
    return super.afterStep(steps);
  }
}

/** Returns a CronJob whose active Job holds back its run of each second. */
function everySecond() {
  return world(PRODUCTION, {
    created: "00:00",
    now: "00:00",
    schedule: "@every 1s",
    spec: { concurrencyPolicy: "Forbid" },
  });
}

test("a simulation decides on few of the times that a Job holds back", async () => {
  const { cronJob, jobs } = everySecond();
  const turns = new CountedTurns();
  const span = { from: at("00:00"), to: at("23:00") };
  const { single, refused } = await simulate({ cronJob, jobs, durationMs: 3 * 3_600_000 }, span, turns);
  assertEquals([single.length, refused.length], [8, 23 * 3_600 - 1 - 8]);
  assert(turns.steps < 100, `${turns.steps} steps`);
});

test("others get a turn while many CronJobs are simulated, each in a few steps", async () => {
  const { cronJob, jobs } = world(PRODUCTION, { now: "09:30" });
  const member = { cronJob, jobs, durationMs: 1_000, isMeasured: false, requests: { cpuMillis: 0, memoryBytes: 0 } };
  const span = { from: at("09:30"), to: at("10:30") };
  let isOver = false;
  const simulated = simulateAll(Array(200).fill(member), { begin: span.from, span }).then(() => isOver = true);
  await new Promise((resolve) => setTimeout(resolve, 0));
  assertEquals(isOver, false);
  await simulated;
});

test("others get a turn while one Job holds back many times", async () => {
  const { cronJob, jobs } = everySecond();
  const span = { from: at("00:00"), to: at("23:00") };
  let turns = 0;
  const other = setInterval(() => turns++, 0);
  const { refused } = await simulate({ cronJob, jobs, durationMs: 24 * 3_600_000 }, span);
  clearInterval(other);
  assertEquals(refused.length, 23 * 3_600 - 2);
  assert(turns >= 4, `${turns} turns`);
});
