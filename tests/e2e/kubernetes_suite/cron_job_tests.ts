import { assert, assertEquals, assertRejects } from "@std/assert";
import type { Json } from "../../../src/apiserver/resource_kind.ts";
import { must } from "../../support/expected.ts";
import { type Bench, until } from "./framework.ts";
import { BUSYBOX } from "./job_fixtures.ts";
import { isGone, now } from "./job_tests.ts";
import { Refused } from "./protobuf_client.ts";

// What Kubernetes' suite tries with CronJobs, by its own names for it. Each minute is a real one.

const SLEEP = ["sleep", "300"];

type Trial = (bench: Bench) => Promise<void>;

/** Each by its name there. */
export const CRON_JOB_TESTS: Record<string, Trial> = {
  async "should schedule multiple jobs concurrently"(bench) {
    await bench.cronJobs.create(cronJobOf("concurrent", "Allow", SLEEP));
    await active(bench, "concurrent", 2);
    assert((await jobsOf(bench)).filter((job) => !isFinished(job)).length >= 2);
    await remove(bench, "concurrent");
  },

  async "should not schedule jobs when suspended"(bench) {
    await bench.cronJobs.create(cronJobOf("suspended", "Allow", SLEEP, { suspend: true }));
    const end = Date.now() + 125_000;
    while (Date.now() < end) {
      assertEquals((await bench.cronJobs.get("suspended")).status.active, undefined);
      await new Promise((resolve) => setTimeout(resolve, 2_000));
    }
    assertEquals(await jobsOf(bench), []);
    await remove(bench, "suspended");
  },

  async "should not schedule new jobs when ForbidConcurrent"(bench) {
    await bench.cronJobs.create(cronJobOf("forbid", "Forbid", SLEEP));
    await active(bench, "forbid", 1);
    assertEquals((await bench.cronJobs.get("forbid")).status.active.length, 1);
    assertEquals((await jobsOf(bench)).filter((job) => !isFinished(job)).length, 1);
    const end = Date.now() + 65_000;
    while (Date.now() < end) {
      assert((await bench.cronJobs.get("forbid")).status.active.length < 2);
      await new Promise((resolve) => setTimeout(resolve, 2_000));
    }
    await remove(bench, "forbid");
  },

  async "should replace jobs when ReplaceConcurrent"(bench) {
    await bench.cronJobs.create(cronJobOf("replace", "Replace", SLEEP));
    await active(bench, "replace", 1);
    const [job, ...others] = await jobsOf(bench);
    assertEquals(others, []);
    await until("it is replaced", async () => {
      const alive = (await jobsOf(bench)).filter(({ metadata }) => !metadata.deletionTimestamp);
      assert(alive.length <= 1);
      return alive.length === 1 && must(alive[0]).metadata.name !== must(job).metadata.name;
    });
    await remove(bench, "replace");
  },

  async "should be able to schedule after more than 100 missed schedule"(bench) {
    const day = 24 * 60 * 60 * 1000;
    const cronJob = cronJobOf("concurrent", "Forbid", SLEEP);
    cronJob.metadata.creationTimestamp = now(-99 * day);
    await bench.cronJobs.create({ ...cronJob, status: { lastScheduleTime: now(-98 * day) } });
    await active(bench, "concurrent", 1);
    assert((await jobsOf(bench)).some((job) => !isFinished(job)));
    await remove(bench, "concurrent");
  },

  async "should not emit unexpected warnings"(bench) {
    await bench.cronJobs.create(cronJobOf("concurrent", "Allow"));
    await until("two Jobs", async () => (await jobsOf(bench)).length >= 2);
    await until("one has finished", async () => (await jobsOf(bench)).some(isFinished));
    const reasons = (await bench.eventsOf(await bench.cronJobs.get("concurrent"))).map(({ reason }) => reason);
    assert(reasons.includes("SuccessfulCreate"), String(reasons));
    assertEquals(reasons.filter((reason) => /^(Missing|Unexpected)Job$/.test(reason)), []);
    await remove(bench, "concurrent");
  },

  async "should set the cronjob-scheduled-timestamp annotation on a job"(bench) {
    await bench.cronJobs.create(cronJobOf("concurrent", "Allow"));
    const job = await until("a Job", async () => (await jobsOf(bench))[0]);
    const time = job.metadata.annotations["batch.kubernetes.io/cronjob-scheduled-timestamp"];
    assert(/^\d{4}-\d\d-\d\dT\d\d:\d\d:00Z$/.test(time), time);
    await remove(bench, "concurrent");
  },

  async "should remove from active list jobs that have been deleted"(bench) {
    await bench.cronJobs.create(cronJobOf("forbid", "Forbid", SLEEP));
    await active(bench, "forbid", 1);
    const { name } = (await bench.cronJobs.get("forbid")).status.active[0];
    await bench.jobs.delete(name, { propagationPolicy: "Background" });
    await until(
      "no Pods of it",
      async () => (await bench.pods.list({ labelSelector: `job-name=${name}` })).items.length === 0,
    );
    await until("it is gone", () => isGone(bench.jobs.get(name)));
    await until("it is not active", async () => {
      const { active = [] } = (await bench.cronJobs.get("forbid")).status;
      return !active.some((job: Json) => job.name === name);
    });
    await until("the Event", async () => {
      return (await bench.eventsOf(await bench.cronJobs.get("forbid"))).some(({ reason }) => reason === "MissingJob");
    }, { timeoutMs: 30_000 });
    await remove(bench, "forbid");
  },

  "should delete successful finished jobs with limit of one successful job": (bench) =>
    keepsHistory(bench, "successful-jobs-history-limit", ["/bin/true"], [1, 0]),

  "should delete failed finished jobs with limit of one job": (bench) =>
    keepsHistory(bench, "failed-jobs-history-limit", ["/bin/false"], [0, 1]),

  async "should support timezone"(bench) {
    const cronJob = cronJobOf("cronjob-with-timezone", "Allow", ["/bin/false"], { timeZone: "bad-time-zone" });
    const refused = await assertRejects(() => bench.cronJobs.create(cronJob), Refused);
    assertEquals([refused.code, refused.reason], [422, "Invalid"]);
  },

  async "should support CronJob API operations"(bench) {
    const { cronJobs, client, namespace } = bench;
    const labelSelector = `special-label=${namespace}`;
    const template = cronJobOf("test-api", "Allow", ["/bin/true"], {
      schedule: "* */1 * * ?",
      successfulJobsHistoryLimit: 1,
      failedJobsHistoryLimit: 0,
    });
    template.metadata.labels = { "special-label": namespace };
    const created = await cronJobs.create(template);
    assertEquals((await cronJobs.get("test-api")).metadata.uid, created.metadata.uid);
    const { items, metadata: { resourceVersion } } = await cronJobs.list({ labelSelector });
    assertEquals(items.length, 1);
    const watch = cronJobs.watch({ resourceVersion, labelSelector });
    const all = client.resource("cronjobs");
    assertEquals((await all.list({ labelSelector })).items.length, 1);
    const everywhere = all.watch({ resourceVersion, labelSelector });
    const elsewhere = everywhere.next();
    const annotated = (annotation: string) => ({ metadata: { annotations: { [annotation]: "true" } } });
    const patched = await cronJobs.patch("test-api", annotated("patched"), { type: "merge" });
    assertEquals(patched.metadata.annotations.patched, "true");
    const updated = await cronJobs.edit("test-api", ({ metadata }) => metadata.annotations.updated = "true");
    assertEquals(updated.metadata.annotations.updated, "true");
    for await (const { type, object } of watch) {
      assertEquals(type, "MODIFIED");
      if (object.metadata.annotations?.patched === "true") break;
    }
    assertEquals((await elsewhere).value?.type, "MODIFIED");
    await everywhere.return(undefined);
    const first = now(), second = now(1_000);
    const status = { ...annotated("patchedstatus"), status: { lastScheduleTime: first } };
    const patchedStatus = await cronJobs.patch("test-api", status, { type: "merge", subresource: "status" });
    assertEquals(patchedStatus.status.lastScheduleTime, first);
    assertEquals(patchedStatus.metadata.annotations.patchedstatus, "true");
    const updatedStatus = await cronJobs.edit("test-api", (of) => of.status.lastScheduleTime = second, "status");
    assertEquals(updatedStatus.status.lastScheduleTime, second);
    const path = `/apis/batch/v1/namespaces/${namespace}/cronjobs/test-api/status`;
    assertEquals((await client.json(path)).metadata.uid, created.metadata.uid);
    await cronJobs.create({ ...template, metadata: { ...template.metadata, name: "for-removal" } });
    await cronJobs.delete("for-removal");
    assert(await isGone(cronJobs.get("for-removal")));
    await cronJobs.deleteCollection({}, { labelSelector });
    assertEquals((await cronJobs.list({ labelSelector })).items, []);
  },
};

function cronJobOf(name: string, concurrencyPolicy: string, command: string[] = [], spec: Json = {}): Json {
  const container = {
    name: "c",
    image: BUSYBOX,
    command,
    volumeMounts: [{ mountPath: "/data", name: "data" }],
  };
  return {
    metadata: { name },
    spec: {
      schedule: "*/1 * * * ?",
      concurrencyPolicy,
      jobTemplate: {
        spec: {
          parallelism: 1,
          completions: 1,
          backoffLimit: 1,
          template: {
            spec: {
              restartPolicy: "OnFailure",
              volumes: [{ name: "data", emptyDir: {} }],
              containers: [container],
            },
          },
        },
      },
      ...spec,
    },
  };
}

async function keepsHistory(bench: Bench, name: string, command: string[], [ok, failed]: [number, number]) {
  const limits = { successfulJobsHistoryLimit: ok, failedJobsHistoryLimit: failed };
  await bench.cronJobs.create(cronJobOf(name, "Allow", command, limits));
  const finished = async () => (await jobsOf(bench)).filter(isFinished);
  const [first, ...others] = await until("a finished Job", async () => {
    const jobs = await finished();
    return jobs.length > 0 && jobs;
  });
  assertEquals(others, []);
  const { uid } = must(first).metadata;
  await until("it is gone", async () => !(await finished()).some(({ metadata }) => metadata.uid === uid));
  await until("its Pods are gone", async () => {
    return (await bench.pods.list({ labelSelector: `controller-uid=${uid}` })).items.length === 0;
  });
  assertEquals((await finished()).length, 1);
  await remove(bench, name);
}

async function active(bench: Bench, name: string, count: number): Promise<void> {
  await until(
    `${count} are active`,
    async () => ((await bench.cronJobs.get(name)).status.active?.length ?? 0) >= count,
  );
}

async function jobsOf(bench: Bench): Promise<Json[]> {
  return (await bench.jobs.list()).items;
}

function isFinished({ status }: Json): boolean {
  return status.conditions?.some(({ type, status }: Json) => /^(Complete|Failed)$/.test(type) && status === "True") ??
    false;
}

async function remove(bench: Bench, name: string): Promise<void> {
  await bench.cronJobs.delete(name, { propagationPolicy: "Background" });
}
