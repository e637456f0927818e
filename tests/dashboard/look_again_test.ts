import { assert, assertEquals } from "@std/assert";
import { BATCH, type Flavour, TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import { lookAgainAt } from "../../src/dashboard/rows/look_again.ts";
import type { EpochMs } from "../../src/base/epoch_ms.ts";
import { lookAt, type ViewInput } from "../../src/view/look.ts";
import { viewOfLook } from "../../src/view/view_of.ts";
import { at, clockOf, type Given, world } from "../cronjob/support/world.ts";
import { table } from "../support/table.ts";
import { test } from "../support/test.ts";
import { event } from "../view/support/facts.ts";

interface Seen extends Given {
  readonly api?: Flavour;
}

/** Each is left alone from `now` on: no run starts or ends, and nothing is heard. */
const WORLDS: Readonly<Record<string, Seen>> = {
  "a CronJob that waits, and whose next run nobody starts": {
    now: "10:10",
    last: "10:00",
    jobs: [{ time: "10:00", state: "succeeded" }],
  },
  "a run that is due": { now: "10:00:05", last: "09:00" },
  "a run that is due, with a deadline": { now: "10:00:05", last: "09:00", spec: { startingDeadlineSeconds: 300 } },
  "a run that is active for long": { now: "10:01", last: "10:00", jobs: [{ time: "10:00" }] },
  "a run that holds others back": {
    now: "10:01",
    last: "10:00",
    spec: { concurrencyPolicy: "Forbid" },
    jobs: [{ time: "10:00" }],
  },
  "a run that failed": { now: "10:05", last: "10:00", jobs: [{ time: "10:00", state: "failed" }] },
  "a pause that ends": { now: "10:10", last: "10:00", spec: { pause: { until: "2026-03-10T10:33:20Z" } } },
  "a suspended one": { now: "10:10", last: "10:00", spec: { suspend: true } },
  "a schedule that ends": { now: "10:10", last: "10:00", spec: { endTime: "2026-03-10T11:30:00Z" } },
  "a schedule that has not begun": { now: "10:10", spec: { startTime: "2026-03-10T11:20:00Z" } },
  "one that another controller has run": {
    now: "10:10",
    last: "10:00",
    jobs: [{ time: "10:00", state: "succeeded" }],
  },
  "a run of every minute, in batch/v1": { api: BATCH, now: "10:10", last: "10:10", schedule: "* * * * *" },
  "an interval": { now: "10:10", last: "10:00", schedule: "@every 25m" },
};

function inputOf({ api = TUTORIAL, ...given }: Seen): ViewInput {
  const { cronJob, jobs, now } = world(api, given);
  return { cronJob, jobs, events: [event("MultipleControllers", "It made a Job", "09:20")], now };
}

const HOURS_3 = 3 * 60 * 60_000;
const STEP_MS = 10_000;

table("a row of which nothing is heard is never wrong for longer than a minute", Object.entries(WORLDS), (seen) => {
  const input = inputOf(seen);
  let shown = "";
  let nextLookAt: EpochMs = input.now;
  let rightAt: EpochMs = input.now;
  for (let now = input.now; now < input.now + HOURS_3; now += STEP_MS) {
    const look = lookAt({ ...input, now });
    const view = viewOfLook(look);
    const text = JSON.stringify(view);
    if (now >= nextLookAt) {
      shown = text;
      nextLookAt = lookAgainAt(look, view);
    }
    if (shown === text) rightAt = now;
    assert(now - rightAt <= 60_000 + STEP_MS, `At ${clockOf(now)} it still is ${shown}, and not ${text}`);
  }
});

test("a row that time alone cannot change is looked at as its next run comes due, or after ten minutes", () => {
  const calm = { last: "10:00", jobs: [{ time: "10:00", state: "succeeded" }] } satisfies Omit<Given, "now">;
  const again = (now: string) => {
    const { cronJob, jobs } = world(TUTORIAL, { ...calm, now });
    const look = lookAt({ cronJob, jobs, now: at(now) });
    return clockOf(lookAgainAt(look, viewOfLook(look)));
  };
  assertEquals([again("10:10"), again("10:55")], ["10:20", "11:00:01"]);
});
