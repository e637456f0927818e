import { assertEquals } from "@std/assert";
import { readCronJob } from "../../src/cronjob/api/cron_job.ts";
import { FLAVOURS } from "../../src/cronjob/api/flavour.ts";
import { readJob } from "../../src/cronjob/api/job.ts";
import type { CronJobObject } from "../../src/cronjob/api/types.ts";
import { shrunkCronJob, shrunkJob } from "../../src/dashboard/shrink.ts";
import type { Job } from "../../src/kube/resource.ts";
import { viewOf } from "../../src/view/view_of.ts";
import { test } from "../support/test.ts";

const OBJECT = {
  apiVersion: "batch/v1",
  kind: "CronJob",
  metadata: {
    name: "report",
    namespace: "default",
    uid: "u",
    resourceVersion: "1",
    generation: 2,
    creationTimestamp: "2026-01-01T00:00:00Z",
    annotations: { "kubectl.kubernetes.io/last-applied-configuration": "{}", "cronjob-controller.dev/managed": "true" },
    managedFields: [
      {
        manager: "kubectl",
        operation: "Apply",
        apiVersion: "batch/v1",
        fieldsType: "FieldsV1",
        time: "2026-01-02T00:00:00Z",
        fieldsV1: {
          "f:metadata": { "f:annotations": { ".": {}, "f:cronjob-controller.dev/suspend": {} } },
          "f:spec": { "f:schedule": {}, "f:suspend": {}, "f:jobTemplate": { "f:spec": { "f:template": {} } } },
        },
      },
      {
        manager: "cronjob-controller",
        operation: "Update",
        subresource: "status",
        time: "2026-01-03T00:00:00Z",
        fieldsV1: { "f:status": { "f:lastScheduleTime": {} } },
      },
    ],
  },
  spec: { schedule: "0 2 * * *", suspend: true, jobTemplate: { spec: { template: { spec: { containers: [] } } } } },
  status: { lastScheduleTime: "2026-01-03T02:00:00Z" },
} as unknown as CronJobObject;

test("a CronJob that was made smaller is seen as it was before", () => {
  for (const flavour of FLAVOURS) {
    const [whole, small] = [structuredClone(OBJECT), shrunkCronJob(structuredClone(OBJECT))]
      .map((object) => readCronJob(flavour, object));
    const now = Date.parse("2026-01-04T12:00:00Z");
    assertEquals(viewOf({ cronJob: small, jobs: [], now }), viewOf({ cronJob: whole, jobs: [], now }));
    for (
      const part of [
        "specWrittenAt",
        "scheduleWrittenAt",
        "scheduleEditedAt",
        "pauseWrittenAt",
        "lastScheduleWrittenAt",
        "stewardship",
        "settings",
      ] as const
    ) assertEquals(small[part], whole[part], `${part} of ${flavour.controllerName}`);
    assertEquals(whole.specWrittenAt !== undefined, true);
  }
  assertEquals(JSON.stringify(shrunkCronJob(structuredClone(OBJECT))).includes("template"), false);
});

test("who their owner is is kept once for all Jobs of a CronJob", () => {
  const jobNamed = (name: string) => {
    const owner = { apiVersion: "batch/v1", kind: "CronJob", name: "report", uid: "of-report", controller: true };
    const metadata = { namespace: "default", name, uid: `of-${name}`, resourceVersion: "1", ownerReferences: [owner] };
    return readJob(FLAVOURS, { apiVersion: "batch/v1", kind: "Job", metadata, spec: {} } as unknown as Job);
  };
  const first = shrunkJob(jobNamed("report-1"), undefined);
  const second = shrunkJob(jobNamed("report-2"), first);
  assertEquals([first.owner?.uid, first.owner?.name, second.metadata.name], ["of-report", "report", "report-2"]);
  assertEquals(first.owner === second.owner, true);
  assertEquals("ownerReferences" in second.metadata, false);
});
