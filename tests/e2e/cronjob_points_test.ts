// What goes beyond the tutorial and beyond Kubernetes, with kubectl against the running program.
import { assert, assertEquals, assertGreater, assertMatch, assertNotEquals } from "@std/assert";
import { stringify } from "yaml";
import type { CronJobObject, CronJobSpec } from "../../src/cronjob/types.ts";
import type { Job } from "../../src/kube/resource.ts";
import { eventually, kubectl, kubectlOk, Standalone, temporaryFolder } from "../support/program.ts";
import { test } from "../support/test.ts";

const SCHEDULED_AT = "batch.tutorial.kubebuilder.io/scheduled-at";

/** A running program, and kubectl as its user types it. */
class Cluster implements AsyncDisposable {
  private constructor(readonly standalone: Standalone, readonly folder: AsyncDisposable) {}

  static async start(): Promise<Cluster> {
    const folder = await temporaryFolder();
    return new Cluster(await Standalone.start(`${folder.path}/data`), folder);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.standalone[Symbol.asyncDispose]();
    await this.folder[Symbol.asyncDispose]();
  }

  kubectl(...args: string[]): Promise<string> {
    return kubectlOk(this.standalone.kubeconfig, args);
  }

  async apply(
    name: string,
    spec: Partial<CronJobSpec>,
    script: string,
    more: { annotations?: Record<string, string> } = {},
  ) {
    const manifest = manifestOf(name, spec, { script, ...more });
    await kubectlOk(this.standalone.kubeconfig, ["apply", "-f", "-"], stringify(manifest));
  }

  async get(name: string): Promise<CronJobObject> {
    return JSON.parse(await this.kubectl("get", "tcj", name, "-o", "json"));
  }

  /** Oldest first. */
  async jobsOf(name: string): Promise<Job[]> {
    const { items }: { items: Job[] } = JSON.parse(await this.kubectl("get", "jobs", "-o", "json"));
    const own = items.filter(({ metadata }) => metadata.ownerReferences?.[0].name === name);
    return own.sort((a, b) => slotOf(a) - slotOf(b));
  }
}

function slotOf({ metadata }: Job): number {
  return Date.parse(metadata.annotations?.[SCHEDULED_AT] ?? "");
}

function manifestOf(
  name: string,
  spec: Partial<CronJobSpec>,
  { script, annotations }: { script: string; annotations?: Record<string, string> },
) {
  const container = { name: "main", image: "busybox", command: ["sh", "-c", script] };
  return {
    apiVersion: "batch.tutorial.kubebuilder.io/v1",
    kind: "CronJob",
    metadata: { name, annotations },
    spec: {
      schedule: "@every 1s",
      startingDeadlineSeconds: 20,
      jobTemplate: { spec: { template: { spec: { restartPolicy: "Never", containers: [container] } } } },
      ...spec,
    },
  };
}

test("kubectl sees each of the CRD's own features at work", async (context) => {
  await using cluster = await Cluster.start();
  const yearly = { schedule: "0 0 1 1 *" };

  await context.step("1. an edit of the schedule is noted with its time, and starts nothing from before", async () => {
    await cluster.apply("edited", yearly, "true");
    await cluster.kubectl("patch", "tcj", "edited", "--type=merge", "-p", '{"spec":{"schedule":"0 0 1 2 *"}}');
    const observed = await eventually("the edit", async () => {
      const { status } = await cluster.get("edited");
      return status?.schedule?.text === "0 0 1 2 *" ? status.schedule : undefined;
    });
    assertGreater(Date.parse(observed.since), Date.now() - 60_000);
    assertEquals(await cluster.jobsOf("edited"), []);
  });

  await context.step("1. resuming with onResume None starts nothing from before", async () => {
    await cluster.apply("resumed", { suspend: true, onResume: "None" }, "true");
    const suspended = (await cluster.get("resumed")).metadata.creationTimestamp;
    await eventually("a few missed runs", () => Promise.resolve(Date.now() > Date.parse(suspended) + 3_500));
    const before = Math.floor(Date.now() / 1000) * 1000;
    await cluster.kubectl("patch", "tcj", "resumed", "--type=merge", "-p", '{"spec":{"suspend":false}}');
    const [first] = await eventually("a run", async () => {
      const jobs = await cluster.jobsOf("resumed");
      return jobs.length > 0 && jobs;
    }) as Job[];
    assert(slotOf(first) >= before, "A run from before the resumption was started");
  });

  await context.step("2. catchUp All starts every missed run", async () => {
    await cluster.apply("caught-up", { suspend: true, catchUp: { policy: "All" } }, "true");
    const made = Date.parse((await cluster.get("caught-up")).metadata.creationTimestamp);
    await eventually("a few missed runs", () => Promise.resolve(Date.now() > made + 4_000));
    await cluster.kubectl("patch", "tcj", "caught-up", "--type=merge", "-p", '{"spec":{"suspend":false}}');
    const jobs = await eventually("the missed runs", async () => {
      const jobs = await cluster.jobsOf("caught-up");
      return jobs.length >= 4 && jobs;
    }) as Job[];
    assertEquals(jobs.map((job) => slotOf(job) - made).slice(0, 4), [1000, 2000, 3000, 4000]);
    await cluster.kubectl("delete", "tcj", "caught-up", "resumed");
  });

  await context.step("3. Forbid never has two at a time, and says what it skipped", async () => {
    await cluster.apply("alone", { concurrencyPolicy: "Forbid" }, "sleep 2.5");
    await eventually("three runs", async () => ((await cluster.get("alone")).status?.counts?.succeeded ?? 0) >= 2);
    const jobs = await cluster.jobsOf("alone");
    for (const [index, job] of jobs.slice(1).entries()) {
      const end = Date.parse(jobs[index].status?.completionTime ?? "");
      assert(Date.parse(job.metadata.creationTimestamp) >= end, `${job.metadata.name} ran beside another`);
    }
    assertGreater((await cluster.get("alone")).status!.counts!.skipped, 0);
    assertMatch(await cluster.kubectl("describe", "tcj", "alone"), /JobAlreadyActive/);
    await cluster.kubectl("delete", "tcj", "alone");
  });

  await context.step("4. Queue lets one run wait, and maxConcurrentRuns limits the others", async () => {
    await cluster.apply("queued", { concurrencyPolicy: "Queue" }, "sleep 2.5");
    await cluster.apply("two", { maxConcurrentRuns: 2 }, "sleep 30");
    await eventually("a run that waits", async () => (await cluster.get("queued")).status?.queuedScheduleTime);
    await eventually("a skipped run", async () => ((await cluster.get("two")).status?.counts?.skipped ?? 0) > 0);
    assertEquals((await cluster.get("two")).status?.active?.length, 2);
    await cluster.kubectl("delete", "tcj", "queued", "two");
  });

  await context.step("5. the status tells next and last run, counts and conditions", async () => {
    await cluster.apply("told", {}, "exit 3");
    await cluster.kubectl(
      "patch",
      "tcj",
      "told",
      "--type=merge",
      "-p",
      '{"spec":{"jobTemplate":{"spec":{"backoffLimit":0}}}}',
    );
    const { status } = await eventually("two failures", async () => {
      const cronJob = await cluster.get("told");
      return (cronJob.status?.counts?.consecutiveFailures ?? 0) >= 2 ? cronJob : undefined;
    });
    assert(status?.nextScheduleTime && status.lastScheduleTime && status.lastFailureTime);
    assertEquals(status.conditions?.find(({ type }) => type === "Failing")?.status, "True");
    assert(status.recentRuns?.some(({ outcome }) => outcome === "Failed"));
    await cluster.kubectl("wait", "--for=condition=Failing", "tcj/told", "--timeout=10s");
    await cluster.kubectl("delete", "tcj", "told");
  });

  await context.step("6. a trigger starts one Job for each id", async () => {
    await cluster.apply("by-hand", { ...yearly, suspend: true }, "echo by hand");
    for (const id of ["first", "first", "second"]) {
      await cluster.kubectl("annotate", "--overwrite", "tcj", "by-hand", `cronjob-controller.dev/trigger=${id}`);
      await eventually("the answer", async () => (await cluster.get("by-hand")).status?.lastTrigger === id);
    }
    const { recentRuns } = (await cluster.get("by-hand")).status!;
    assertEquals(recentRuns?.map(({ trigger }) => trigger), ["Manual", "Manual"]);
    assertEquals((await cluster.jobsOf("by-hand")).length, 2);
  });

  await context.step("7. a pause says why", async () => {
    await cluster.apply("paused", { pause: { reason: "Moving house" } }, "true");
    await cluster.kubectl("wait", "--for=condition=Ready=false", "tcj/paused", "--timeout=10s");
    assertMatch(await cluster.kubectl("get", "tcj", "paused", "-o", "yaml"), /message: Moving house[^]*reason: Paused/);
    assertEquals(await cluster.jobsOf("paused"), []);
  });

  await context.step("8. spread starts always by the same distance", async () => {
    await cluster.apply("spread", { schedule: "@every 4s", spreadSeconds: 3 }, "true");
    const jobs = await eventually("two runs", async () => {
      const jobs = await cluster.jobsOf("spread");
      return jobs.length >= 2 && jobs;
    }) as Job[];
    const distances = jobs.map((job) => Date.parse(job.metadata.creationTimestamp) - slotOf(job));
    assertEquals(new Set(distances).size, 1, String(distances));
    await cluster.kubectl("delete", "tcj", "spread");
  });

  await context.step("9. the scheduled time reaches the process", async () => {
    await cluster.apply("exposed", { exposeSchedule: true }, "echo $CRON_SCHEDULED_TIME $CRON_TRIGGER");
    const job = await eventually(
      "a run",
      async () => (await cluster.jobsOf("exposed")).find(({ status }) => status?.succeeded),
    );
    const log = await cluster.kubectl("logs", `job/${job.metadata.name}`);
    assertEquals(log, `${job.metadata.annotations?.[SCHEDULED_AT]} Schedule\n`);
    await cluster.kubectl("delete", "tcj", "exposed");
  });

  await context.step("10. a name that leaves no room for those of Jobs is refused", async () => {
    const manifest = stringify(manifestOf("n".repeat(53), yearly, { script: "true" }));
    const { code, stderr } = await kubectl(cluster.standalone.kubeconfig, ["apply", "-f", "-"], manifest);
    assertNotEquals(code, 0);
    assertMatch(stderr, /metadata\.name/);
  });
});
