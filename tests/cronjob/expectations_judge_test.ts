import { assert, assertEquals } from "@std/assert";
import * as fc from "fast-check";
import type { ExpectSpec } from "../../src/cronjob/api/spec_fields.ts";
import { troublesOf } from "../../src/cronjob/status/troubles.ts";
import { test } from "../support/test.ts";
import { expectations, judge, looks, timelines } from "./support/timelines.ts";
import { clockOf } from "./support/world.ts";

const TOLERATED_MS = 5_000;

test("each breach is found within 5 s of being certain, or at the first look after a kill, under one id", () => {
  let told = 0;
  const property = fc.property(
    timelines({ days: 4, none: 20, slowStart: 30, failed: 25, expect: expectations }),
    (timeline) => {
      const expected = new Map(judge(timeline).map(({ id, since }) => [id, since]));
      const found = new Map<string, { since: number; at: number; lastAt: number }>();
      let before: number | undefined;
      for (const { now, findings } of looks(timeline)) {
        for (const { kind, time, since } of findings.expectations.breaches) {
          const id = `${kind} ${clockOf(time)}`;
          assertEquals(since, expected.get(id), `${id} is no breach, or certain at another time`);
          assert(since <= now, `${id} is not certain yet`);
          const known = found.get(id);
          assert(!known || known.lastAt === before, `${id} came back`);
          found.set(id, { since, at: known?.at ?? now, lastAt: now });
        }
        before = now;
      }
      for (const [id, since] of expected) {
        const alive = timeline.kills.every(([from, to]) => since + TOLERATED_MS < from || since >= to);
        if (!alive) continue;
        const { at } = found.get(id) ?? {};
        assert(at !== undefined, `${id} is not found, certain since ${clockOf(since)}`);
        assert(at - since <= TOLERATED_MS, `${id} is found after ${(at - since) / 1000} s`);
        told++;
      }
    },
  );
  fc.assert(property, { numRuns: 100 });
  assert(told >= 200, `${told} breaches`);
});

test("nothing is found in 30 days of healthy CronJobs with noisy durations", () => {
  const healthy: ExpectSpec = {
    startWithinSeconds: 60,
    finishBy: "03:30",
    minimumDurationSeconds: 1,
    succeededWithinSeconds: 50 * 3600,
  };
  const property = fc.property(
    timelines({ days: 30, none: 0, slowStart: 0, failed: 0, expect: fc.constant(healthy) }),
    (timeline) => {
      for (const { now, findings } of looks(timeline)) assertEquals(troublesOf(findings), [], clockOf(now));
    },
  );
  fc.assert(property, { numRuns: 10 });
});
