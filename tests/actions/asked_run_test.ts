import { assertEquals } from "@std/assert";
import { whyNoJob } from "../../src/actions/asked_run.ts";
import { TRIGGER } from "../../src/cronjob/api/annotations.ts";
import { TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import { type Given, world } from "../cronjob/support/world.ts";
import { type Row, table } from "../support/table.ts";

const GONE = "its Job is gone already";

const ROWS: readonly Row<[lastTrigger: string, given: Partial<Given>, why: string | undefined]>[] = [
  ["Forbid", "a", { spec: { concurrencyPolicy: "Forbid" } }, "concurrencyPolicy Forbid, and another run is active"],
  [
    "Allow with a limit",
    "a",
    { spec: { maxConcurrentRuns: 2 } },
    "as many runs as maxConcurrentRuns allows, 2, are active",
  ],
  ["Allow refuses none", "a", { spec: { concurrencyPolicy: "Allow" } }, GONE],
  ["Replace refuses none", "a", { spec: { concurrencyPolicy: "Replace" } }, GONE],
  ["Queue refuses none", "a", { spec: { concurrencyPolicy: "Queue" } }, GONE],
  ["it may still come", "z", { annotations: { [TRIGGER]: "a" } }, undefined],
  ["another took its place", "z", { annotations: { [TRIGGER]: "b" } }, "another trigger (b) took its place"],
  ["its request is gone", "z", {}, "its Job, or the request for it, is gone"],
];

table("a run by hand without a Job has a reason", ROWS, (lastTrigger, given, why) => {
  const { cronJob } = world(TUTORIAL, { now: "10:00", status: { lastTrigger }, ...given });
  assertEquals(whyNoJob(cronJob, { trigger: "a" }), why);
});
