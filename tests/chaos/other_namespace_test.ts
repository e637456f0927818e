import { assertEquals } from "@std/assert";
import { BATCH } from "../../src/cronjob/api/flavour.ts";
import { followChildren } from "../../src/cronjob/child_cache.ts";
import { CronJobController } from "../../src/cronjob/controller.ts";
import { JobController } from "../../src/job/controller.ts";
import type { KubeObject, Unstored } from "../../src/kube/object.ts";
import { type Job, JOBS, PODS } from "../../src/kube/resource.ts";
import type { Runnable } from "../../src/runtime/runnable.ts";
import { FakeApi } from "../runtime/support/fake_api.ts";
import { atLeast } from "../support/expected.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";
import { followJobs } from "../support/follow_jobs.ts";

const recorder = { record() {} };
const TEMPLATE = {
  metadata: { labels: { a: "b" } },
  spec: { restartPolicy: "Never", containers: [{ name: "main", image: "busybox", command: ["date"] }] },
};

test("A Job of another namespace that claims a CronJob neither holds it back nor moves its schedule", async () => {
  const api = new FakeApi();
  const clock = new FakeClock("2026-01-01T00:00:30Z");
  const { metadata: { uid } } = api.put(BATCH.resource, {
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: { name: "backup", namespace: "victim", creationTimestamp: "2026-01-01T00:00:00Z" },
    spec: { schedule: "* * * * *", concurrencyPolicy: "Forbid", jobTemplate: { spec: { template: TEMPLATE } } },
  });
  const claim = () =>
    api.put(JOBS, {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: {
        name: "claim",
        namespace: "attacker",
        annotations: { [BATCH.scheduledTimeAnnotation]: "2031-01-01T00:00:00Z" },
        ownerReferences: [{ apiVersion: "batch/v1", kind: "CronJob", name: "backup", uid, controller: true }],
      },
      spec: { template: TEMPLATE },
    } as Unstored<Job>);
  claim();
  const jobs = followChildren({ client: api, clock, flavours: [BATCH] });
  await using _ = running(new CronJobController({ client: api, clock, flavour: BATCH, jobs, recorder }));
  await clock.advance(15_000);
  claim();
  await clock.advance(30_000);
  assertEquals(namesOf(api.all(JOBS, "victim")), ["backup-29453761"]);
  const [{ status }] = atLeast(
    1,
    api.all(BATCH.resource) as (KubeObject & { status?: { lastScheduleTime?: string } })[],
  );
  assertEquals(status?.lastScheduleTime, "2026-01-01T00:01:00Z");
});

test("A Pod of another namespace that claims a Job does not count as its own", async () => {
  const api = new FakeApi();
  const clock = new FakeClock("2026-01-01T00:00:30Z");
  const { metadata: { uid } } = api.put(JOBS, {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "report", namespace: "victim" },
    spec: { parallelism: 1, completions: 1, template: TEMPLATE, selector: { matchLabels: { a: "b" } } },
  } as Unstored<Job>);
  api.put(PODS, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: "claim",
      namespace: "attacker",
      labels: { a: "b" },
      finalizers: ["batch.kubernetes.io/job-tracking"],
      ownerReferences: [{ apiVersion: "batch/v1", kind: "Job", name: "report", uid, controller: true }],
    },
    spec: TEMPLATE.spec,
    status: { phase: "Succeeded" },
  } as Unstored<KubeObject>);
  await using _ = running(
    new JobController({ client: api, clock, jobs: followJobs({ client: api, clock }), recorder, mode: "all" }),
  );
  await clock.advance(5_000);
  assertEquals(api.all(PODS, "victim").length, 1);
  const [{ status }] = atLeast(1, api.all(JOBS, "victim") as Job[]);
  assertEquals([status?.active, status?.succeeded ?? 0, status?.conditions ?? []], [1, 0, []]);
});

function running(part: Runnable): AsyncDisposable {
  const end = new AbortController();
  const ended = part.run(end.signal);
  return {
    async [Symbol.asyncDispose]() {
      end.abort();
      await ended;
    },
  };
}

function namesOf(objects: readonly KubeObject[]): string[] {
  return objects.map(({ metadata }) => metadata.name);
}
