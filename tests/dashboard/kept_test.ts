import { assertEquals } from "@std/assert";
import { readCronJob } from "../../src/cronjob/api/read_cron_job.ts";
import { FLAVOURS } from "../../src/cronjob/api/flavour.ts";
import { type Child, readJob } from "../../src/cronjob/api/job.ts";
import type { CronJobObject } from "../../src/cronjob/api/types.ts";
import { KeptCronJob } from "../../src/dashboard/rows/kept_cron_job.ts";
import { KeptJob } from "../../src/dashboard/rows/kept_job.ts";
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

test("a CronJob that is kept as text is seen as it was before", () => {
  for (const flavour of FLAVOURS) {
    const whole = readCronJob(flavour, structuredClone(OBJECT));
    const kept = new KeptCronJob(flavour, structuredClone(OBJECT));
    const small = kept.read();
    assertEquals([kept.metadata.uid, kept.metadata.resourceVersion], ["u", "1"]);
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
    assertEquals(small.object.spec.jobTemplate, undefined);
  }
});

/** A Job of the CronJob `report`. */
function jobNamed(name: string, more: { metadata?: object; spec?: object; status?: object } = {}): Job {
  const owner = { apiVersion: "batch/v1", kind: "CronJob", name: "report", uid: "of-report", controller: true };
  const metadata = {
    namespace: "default",
    name,
    uid: `of-${name}`,
    resourceVersion: "7",
    creationTimestamp: "2026-01-03T02:00:01Z",
    ownerReferences: [owner],
    ...more.metadata,
  };
  return { apiVersion: "batch/v1", kind: "Job", spec: {}, ...more, metadata } as unknown as Job;
}

test("a Job that is kept as text says what it said before", () => {
  const at = "2026-01-03T02:00:05Z";
  const complete = [{ type: "Complete", status: "True", lastTransitionTime: at }];
  const failed = ["FailureTarget", "Failed"]
    .map((type) => ({
      type,
      status: "True",
      reason: "BackoffLimitExceeded",
      message: "no more",
      lastTransitionTime: at,
    }));
  const scheduled = { "batch.kubernetes.io/cronjob-scheduled-timestamp": "2026-01-03T02:00:00Z" };
  const jobs = [
    jobNamed("report-29456280", {
      metadata: { annotations: scheduled },
      status: { startTime: at, completionTime: at, succeeded: 1, ready: 0, conditions: complete },
    }),
    jobNamed("report-29456280", { status: { startTime: at, failed: 1, conditions: failed } }),
    jobNamed("report-by-hand", { metadata: { annotations: { "cronjob.kubernetes.io/instantiate": "manual" } } }),
    jobNamed("report-waits", { spec: { suspend: true }, status: { ready: 0 } }),
    jobNamed("report-goes", { metadata: { deletionTimestamp: at }, status: { ready: 1 } }),
    jobNamed("of-nobody", { metadata: { ownerReferences: [], namespace: undefined } }),
  ];
  for (const job of jobs) {
    const { metadata: { ownerReferences: _, ...metadata }, ...child } = readJob(FLAVOURS, structuredClone(job));
    const kept = new KeptJob(readJob(FLAVOURS, job), undefined);
    const known = (child: object) => JSON.stringify(Object.entries(JSON.parse(JSON.stringify(child))).sort());
    assertEquals(known(kept.read()), known({ ...child, metadata }), job.metadata.name);
    assertEquals(JSON.stringify(kept.metadata), JSON.stringify(metadata));
    assertEquals(kept.metadata.uid, job.metadata.uid);
  }
});

test("every fact of a Job is kept, whatever it is", () => {
  const [usual, other] = [readJob(FLAVOURS, jobNamed("report-1")), readJob(FLAVOURS, jobNamed("report-1"))];
  const changed: Omit<Child, "metadata" | "owner" | "createdAt"> = {
    state: "failed",
    scheduledTime: 1,
    backfill: { id: "b", scheduledTime: 2 },
    triggeredBy: "somebody",
    manual: true,
    isMadeForRun: false,
    startTime: 3,
    endTime: 0,
    podsSeen: "unknown",
    mayHavePods: false,
    failedPods: { count: 2, most: 7 },
    isSuspended: true,
    isEnding: true,
    endReason: "DeadlineExceeded",
    failureMessage: "",
  };
  for (const [fact, value] of Object.entries(changed)) {
    const child = { ...other, [fact]: value };
    assertEquals(new KeptJob(child, undefined).read()[fact as keyof Child], value as never, fact);
  }
  assertEquals(new KeptJob(usual, undefined).read().state, "active");
});

test("who their owner is is kept once for all Jobs of a CronJob", () => {
  const first = new KeptJob(readJob(FLAVOURS, jobNamed("report-1")), undefined);
  const second = new KeptJob(readJob(FLAVOURS, jobNamed("report-2")), first);
  assertEquals([first.owner?.uid, first.owner?.name, second.metadata.name], ["of-report", "report", "report-2"]);
  assertEquals(first.owner === second.owner, true);
  const alone = new KeptJob(readJob(FLAVOURS, jobNamed("alone", { metadata: { ownerReferences: [] } })), second);
  assertEquals(alone.owner, undefined);
});
