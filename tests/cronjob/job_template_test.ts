import { assertEquals, assertNotEquals } from "@std/assert";
import { BATCH, type Flavour, TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import { jobFor, jobNameFor } from "../../src/cronjob/decision/job_template.ts";
import type { RunRequest } from "../../src/cronjob/decision/run_request.ts";
import { test } from "../support/test.ts";
import { at, type Given, world } from "./support/world.ts";

const TEN: RunRequest = { trigger: "Schedule", scheduledTime: at("10:00") };

function made(api: Flavour, given: Partial<Given>, request: RunRequest = TEN) {
  const { cronJob } = world(api, { now: "10:00", ...given });
  return jobFor(cronJob, request);
}

test("jobFor() takes labels, annotations and the whole spec of the template, unknown fields included", () => {
  const jobTemplate = {
    metadata: { labels: { a: "1" }, annotations: { b: "2" }, name: "ignored", finalizers: ["ignored"] },
    spec: { backoffLimit: 0, future: { deep: [1, { x: null }] }, template: { spec: { containers: [], future: true } } },
  };
  const job = made(TUTORIAL, { spec: { jobTemplate: jobTemplate as never } });
  assertEquals(
    job,
    {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: {
        name: `report-${at("10:00") / 1000}`,
        namespace: "default",
        labels: { a: "1" },
        annotations: { b: "2", "batch.tutorial.kubebuilder.io/scheduled-at": "2026-03-10T10:00:00Z" },
        ownerReferences: [{
          apiVersion: "batch.tutorial.kubebuilder.io/v1",
          kind: "CronJob",
          name: "report",
          uid: "cronjob-uid",
          controller: true,
          blockOwnerDeletion: true,
        }],
      },
      spec: jobTemplate.spec,
    } as unknown as typeof job,
  );
});

test("jobFor() shares nothing with the template that it was made from", () => {
  const jobTemplate = { spec: { template: { spec: { containers: [{ name: "main", env: [] }] } } } };
  const job = made(TUTORIAL, { spec: { jobTemplate, exposeSchedule: true } });
  assertEquals(jobTemplate.spec.template.spec.containers[0].env, []);
  assertEquals(job.spec?.template.spec?.containers[0].env?.length, 2);
});

test("jobFor() writes the scheduled time of batch/v1 in the zone of the CronJob", () => {
  const zones = {
    "Asia/Kolkata": "2026-03-10T15:30:00+05:30",
    "America/New_York": "2026-03-10T06:00:00-04:00",
    "UTC": "2026-03-10T10:00:00Z",
    "Europe/London": "2026-03-10T10:00:00Z",
  };
  for (const [timeZone, text] of Object.entries(zones)) {
    const job = made(BATCH, { spec: { timeZone } });
    assertEquals(job.metadata.annotations, { "batch.kubernetes.io/cronjob-scheduled-timestamp": text });
  }
  assertEquals(made(TUTORIAL, { spec: { timeZone: "Asia/Kolkata" } }).metadata.annotations, {
    "batch.tutorial.kubebuilder.io/scheduled-at": "2026-03-10T10:00:00Z",
  });
});

test("jobNameFor() is the same for the same occasion, and another for any other", () => {
  const { cronJob } = world(TUTORIAL, { now: "10:00" });
  const manual = (id: string): RunRequest => ({ trigger: "Manual", id, at: at("10:00") });
  assertEquals(jobNameFor(cronJob, manual("a")), jobNameFor(cronJob, manual("a")));
  assertNotEquals(jobNameFor(cronJob, manual("a")), jobNameFor(cronJob, manual("b")));
  assertEquals(jobNameFor(cronJob, manual("1")), "report-m3efm134");
  const batch = world(BATCH, { now: "10:00" }).cronJob;
  assertEquals(jobNameFor(batch, TEN), `report-${at("10:00") / 60_000}`);
});

test("jobFor() tells a run by hand what it is", () => {
  const job = made(TUTORIAL, { spec: { exposeSchedule: true } }, { trigger: "Manual", id: "now", at: at("10:07:30") });
  assertEquals(job.metadata.annotations, { "cronjob-controller.dev/trigger": "now" });
  assertEquals(job.spec?.template.spec?.containers[0].env, [
    { name: "CRON_SCHEDULED_TIME", value: "2026-03-10T10:07:30Z" },
    { name: "CRON_TRIGGER", value: "Manual" },
  ]);
});
