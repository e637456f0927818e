import { assertEquals, assertNotEquals } from "@std/assert";
import * as fc from "fast-check";
import { BATCH, type Flavour, TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import { jobFor, jobNameFor } from "../../src/cronjob/decision/job_template.ts";
import type { RunRequest } from "../../src/cronjob/decision/run_request.ts";
import { must } from "../support/expected.ts";
import { test } from "../support/test.ts";
import { at, type Given, world } from "./support/world.ts";

const TEN: RunRequest = { trigger: "Schedule", scheduledTime: at("10:00") };

function made(api: Flavour, given: Partial<Given>, request: RunRequest = TEN) {
  const { cronJob } = world(api, { now: "10:00", ...given });
  return jobFor(cronJob, request);
}

test("jobFor() takes labels, annotations and the whole spec of the template, unknown fields included", () => {
  const jobTemplate = {
    metadata: {
      labels: { a: "1" },
      annotations: { b: "2" },
      name: "ignored",
      namespace: "ignored",
      finalizers: ["ignored"],
    },
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
  assertEquals(must(jobTemplate.spec.template.spec.containers[0]).env, []);
  assertEquals(job.spec?.template.spec?.containers[0]?.env?.length, 2);
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

test("jobFor() marks a run by hand as what it is", () => {
  const job = made(TUTORIAL, { spec: { exposeSchedule: true } }, { trigger: "Manual", id: "now", at: at("10:07:30") });
  assertEquals(job.metadata.annotations, { "cronjob-controller.dev/trigger": "now" });
  assertEquals(job.spec?.template.spec?.containers[0]?.env, [
    { name: "CRON_SCHEDULED_TIME", value: "2026-03-10T10:07:30Z" },
    { name: "CRON_TRIGGER", value: "Manual" },
  ]);
});

/** JSON of the shape of a Job template, any part of which may be anything else. */
const ANY_TEMPLATE = fc.letrec((tie) => {
  const odd = fc.jsonValue({ maxDepth: 2 });
  const shape = (members: Record<string, fc.Arbitrary<unknown>>) =>
    fc.oneof({ weight: 4, arbitrary: fc.record(members, { requiredKeys: [] }) }, { weight: 1, arbitrary: odd });
  const list = (item: fc.Arbitrary<unknown>) =>
    fc.oneof({ weight: 4, arbitrary: fc.array(item, { maxLength: 3 }) }, { weight: 1, arbitrary: odd });
  const name = fc.constantFrom("CRON_TRIGGER", "OTHER", 7, null);
  return {
    template: shape({ metadata: tie("metadata"), spec: shape({ template: tie("podTemplate") }) }),
    podTemplate: shape({ metadata: tie("metadata"), spec: tie("podSpec") }),
    podSpec: shape({ containers: list(tie("container")), initContainers: list(tie("container")) }),
    container: shape({ name, env: list(shape({ name })) }),
    metadata: shape({ labels: odd, annotations: fc.oneof(odd, fc.dictionary(fc.string(), fc.string())) }),
  };
}).template;

test("jobFor() makes something of any JSON that the API server takes for a template", () => {
  fc.assert(
    fc.property(ANY_TEMPLATE, fc.boolean(), (jobTemplate, exposeSchedule) => {
      JSON.stringify(made(TUTORIAL, { spec: { jobTemplate: jobTemplate as never, exposeSchedule } }));
    }),
    { numRuns: 500 },
  );
  // Without a spec at all, and the trigger annotation, too.
  const job = made(TUTORIAL, { spec: { jobTemplate: undefined, exposeSchedule: true } }, {
    trigger: "Manual",
    id: "now",
    at: at("10:00"),
  });
  assertEquals(job.spec, undefined);
});

test("jobFor() passes on as they are the parts of a template that no Job can have there, for the API server to refuse", () => {
  for (const odd of ["text", [[null]], 7, false]) {
    const { metadata } = made(TUTORIAL, {
      spec: { jobTemplate: { metadata: { labels: odd, annotations: odd } } as never },
    });
    assertEquals<unknown>([metadata.labels, metadata.annotations], [odd, odd]);
    const specs = [
      odd,
      { template: odd },
      { template: { metadata: odd, spec: odd } },
      { template: { metadata: { annotations: odd }, spec: { containers: odd, initContainers: [odd] } } },
      { template: { metadata: odd, spec: { containers: [{ env: "text" }] } } },
    ];
    for (const spec of specs) {
      const job = made(TUTORIAL, { spec: { jobTemplate: { spec } as never, exposeSchedule: true } });
      assertEquals<unknown>(job.spec, spec);
    }
  }
});

test("jobFor() passes containers their schedule however deep the template is", () => {
  // kube-apiserver takes 10,000 levels.
  const future = JSON.parse(`${'{"a":'.repeat(9_000)}1${"}".repeat(9_000)}`);
  const spec = { template: { spec: { containers: [{ name: "main", image: "busybox" }] } }, future };
  const job = made(TUTORIAL, { spec: { jobTemplate: { spec } as never, exposeSchedule: true } });
  assertEquals(job.spec?.template.spec?.containers[0]?.env?.length, 2);
});
