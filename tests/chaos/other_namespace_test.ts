import { assertEquals } from "@std/assert";
import { BATCH } from "../../src/cronjob/api/flavour.ts";
import { followChildren } from "../../src/cronjob/child_cache.ts";
import { CronJobController } from "../../src/cronjob/controller.ts";
import { JobController } from "../../src/job/controller.ts";
import type { KubeObject, Unstored } from "../../src/kube/object.ts";
import { type Job, JOBS, PODS } from "../../src/kube/resource.ts";
import { FakeApi } from "../runtime/support/fake_api.ts";
import { atLeast } from "../support/expected.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";
import { followJobs } from "../support/follow_jobs.ts";
import { cronJobOf, POD_TEMPLATE } from "../support/cron_job.ts";
import { controlledBy, jobOf } from "../support/job.ts";
import { running } from "../support/running.ts";

const recorder = { record() {} };

test("A Job of another namespace that claims a CronJob neither holds it back nor moves its schedule", async () => {
  const api = new FakeApi();
  const clock = new FakeClock("2026-01-01T00:00:30Z");
  const spec = { schedule: "* * * * *", concurrencyPolicy: "Forbid" } as const;
  const owner = api.put(BATCH.resource, cronJobOf(BATCH, { name: "backup", namespace: "victim", spec }));
  const annotations = { [BATCH.scheduledTimeAnnotation]: "2031-01-01T00:00:00Z" };
  const claim = () => api.put(JOBS, jobOf({ name: "claim", namespace: "attacker", annotations, owner }));
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
  const labels = { a: "b" };
  const template = { metadata: { labels }, ...POD_TEMPLATE };
  const spec = { parallelism: 1, completions: 1, selector: { matchLabels: labels }, template };
  const owner = api.put(JOBS, jobOf({ name: "report", namespace: "victim", spec }));
  api.put(PODS, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: "claim",
      namespace: "attacker",
      labels,
      finalizers: ["batch.kubernetes.io/job-tracking"],
      ownerReferences: [controlledBy(owner)],
    },
    spec: POD_TEMPLATE.spec,
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

function namesOf(objects: readonly KubeObject[]): string[] {
  return objects.map(({ metadata }) => metadata.name);
}
