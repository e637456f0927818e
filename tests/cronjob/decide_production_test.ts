// What cronjob-controller.dev/v1 does otherwise than the tutorial's API, whose fields it has.
import { assertEquals } from "@std/assert";
import { definitionOf } from "../../src/cronjob/api/crd.ts";
import { PRODUCTION, TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import { test } from "../support/test.ts";
import { table } from "./support/table.ts";

const ended = (time: string, state: "succeeded" | "failed") => ({ time, state, listed: false }) as const;

table("decide() goes on after more than 100 missed runs, and warns", PRODUCTION, [
  ["a hundred: starts the latest", { created: "03-01 00:30", last: "03-06 04:00", now: "08:10" }, {
    start: "08:00",
    requeue: "09:00",
    status: { counts: { missed: 99 }, passedOver: ["03-06 04:00-08:00"] },
  }],
  ["101: starts the latest, and warns", { created: "03-01 00:30", last: "03-06 03:00", now: "08:10" }, {
    start: "08:00",
    events: ["TooManyMissedTimes"],
    requeue: "09:00",
    status: { counts: { missed: 100 }, passedOver: ["03-06 03:00-08:00"] },
  }],
]);

table("decide() keeps three Jobs that succeeded and one that failed, unless the spec says otherwise", PRODUCTION, [
  ["of each the newest", {
    last: "08:00",
    now: "08:30",
    created: "00:30",
    spec: { failedJobs: "Keep" },
    jobs: [
      ...["04:00", "05:00", "07:00", "08:00"].map((time) => ended(time, "succeeded")),
      ...["03:00", "06:00"].map((time) => ended(time, "failed")),
    ],
  }, {
    deletes: ["04:00", "03:00"],
    requeue: "09:00",
    status: { lastSuccessfulTime: "08:01", lastFailureTime: "06:01", counts: { succeeded: 4, failed: 2 } },
  }],
  ["other limits", {
    last: "08:00",
    now: "08:30",
    created: "00:30",
    spec: { successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 0, failedJobs: "Keep" },
    jobs: [ended("07:00", "succeeded"), ended("08:00", "succeeded"), ended("06:00", "failed")],
  }, {
    deletes: ["07:00", "06:00"],
    requeue: "09:00",
    status: { lastSuccessfulTime: "08:01", lastFailureTime: "06:01", counts: { succeeded: 2, failed: 1 } },
  }],
]);

test("the definitions differ in group, short name, what they say of history limits, and the defaults of pendingTimeoutSeconds and failedJobs alone", () => {
  const tutorial = JSON.stringify(definitionOf(TUTORIAL));
  const production = JSON.stringify(definitionOf(PRODUCTION));
  const renamed = production.replaceAll("cronjob-controller.dev", "batch.tutorial.kubebuilder.io")
    .replace('"ccj"', '"tcj"').replace(',"default":"KeepUntilSuccess"', "");
  const isSame = renamed.replace("that succeeded. 3,", "that succeeded. All,")
    .replace("that failed. 1,", "that failed. All,").replace(',"default":3600', "");
  assertEquals(JSON.parse(isSame), JSON.parse(tutorial));
});
