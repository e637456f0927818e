import { assertEquals } from "@std/assert";
import { BATCH, type Flavour, TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import type { RunRecord } from "../../src/cronjob/api/types.ts";
import { knownSince } from "../../src/view/known_since.ts";
import { lookAt } from "../../src/view/look.ts";
import { at, clockOf, type Given, world } from "../cronjob/support/world.ts";
import { table } from "../support/table.ts";

const succeeded = (...times: string[]) => times.map((time) => ({ time, state: "succeeded" as const }));
const failed = (...times: string[]) => times.map((time) => ({ time, state: "failed" as const }));
const LIMITS = { successfulJobsHistoryLimit: 2, failedJobsHistoryLimit: 1 };

function livesFor(ttlSecondsAfterFinished: number): Given["spec"] {
  return { jobTemplate: { spec: { ttlSecondsAfterFinished, template: {} } } };
}

function recorded(count: number): Given["status"] {
  const recentRuns = Array.from({ length: count }, (_, i): RunRecord => {
    const time = new Date(at("10:00") - i * 600_000).toISOString();
    return {
      scheduledTime: time,
      startTime: time,
      endTime: time,
      trigger: "Schedule",
      outcome: "Succeeded",
    } as RunRecord;
  });
  return { recentRuns };
}

const CREATED = "created";

const ROWS: readonly (readonly [string, Flavour, Given, since: string | undefined])[] = [
  ["no Job was deleted yet", BATCH, { now: "10:30", last: "10:00", spec: LIMITS, jobs: succeeded("10:00") }, CREATED],
  [
    "earlier successes may be deleted",
    BATCH,
    { now: "10:30", last: "10:00", spec: LIMITS, jobs: succeeded("10:00", "09:00") },
    "09:00",
  ],
  [
    "an old failure that is left says nothing of the successes since",
    BATCH,
    { now: "10:30", last: "10:00", spec: LIMITS, jobs: [...succeeded("10:00", "09:00"), ...failed("04:00")] },
    "09:00",
  ],
  [
    "earlier failures may be deleted",
    BATCH,
    { now: "10:30", last: "10:00", spec: LIMITS, jobs: [...succeeded("08:00"), ...failed("10:00")] },
    "10:00",
  ],
  ["the last run has no Job any more", BATCH, { now: "10:30", last: "10:00", spec: LIMITS, jobs: [] }, undefined],
  ["a time to live may have deleted any Job that ended before it", BATCH, {
    now: "10:30",
    last: "10:00",
    spec: { ...LIMITS, ...livesFor(5400) },
    jobs: succeeded("10:00"),
  }, "09:00"],
  ["the CronJob is younger than the time to live", BATCH, {
    now: "10:30",
    last: "10:00",
    spec: { ...LIMITS, ...livesFor(86_400) },
    jobs: succeeded("10:00"),
  }, CREATED],
  ["the status has room for more runs", TUTORIAL, { now: "10:30", last: "10:00", status: recorded(9) }, CREATED],
  ["the status has room for no more", TUTORIAL, { now: "10:30", last: "10:00", status: recorded(10) }, "08:30"],
];

table("runs are known since then", ROWS, (api, given, since) => {
  const { cronJob, jobs, now } = world(api, { created: "02:00", ...given });
  const found = knownSince(lookAt({ cronJob, jobs, now }));
  const told = found === cronJob.createdAt ? CREATED : found === undefined ? undefined : clockOf(found);
  assertEquals(told, since);
});
