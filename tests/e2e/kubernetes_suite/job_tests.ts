import { assert, assertEquals } from "@std/assert";
import type { Json } from "../../../src/apiserver/resource_kind.ts";
import { must } from "../../support/expected.ts";
import { type Bench, until } from "./framework.ts";
import { type Behaviour, BUSYBOX, jobOf, PAUSE } from "./job_fixtures.ts";
import { Refused } from "./protobuf_client.ts";

// What Kubernetes' suite tries with Jobs, by its own names for it.

/** The cluster that the suite finds. */
export interface Cluster {
  readonly node: string;
  /** Where tests may make directories that Pods mount; undefined where they mount none, as plain processes. */
  readonly hostPath?: string;
}

type Trial = (bench: Bench, cluster: Cluster) => Promise<void>;

/** Those that plain processes pass, too. */
export const JOB_TESTS: Record<string, Trial> = {
  async "should run a job to completion when tasks succeed"(bench) {
    await bench.jobs.create(jobOf("succeed", "all-succeed"));
    await completes(bench, "all-succeed", "CompletionsReached", 4);
    assertEquals((await phasesOf(bench, "all-succeed")).filter((phase) => phase === "Succeeded").length, 4);
  },

  async "should not create pods when created in suspend state"(bench) {
    const name = "suspend-true-to-false";
    await bench.jobs.create(jobOf("succeed", name, { spec: { suspend: true } }));
    await condition(bench, name, "Suspended");
    assertEquals(await bench.podsOf(name), []);
    await bench.jobs.edit(name, ({ spec }) => spec.suspend = false);
    await completes(bench, name, "CompletionsReached", 4);
  },

  async "should delete pods when suspended"(bench) {
    const name = "suspend-false-to-true";
    await bench.jobs.create(jobOf("notTerminate", name, { spec: { suspend: false } }));
    await podsRun(bench, name, 2);
    await bench.jobs.edit(name, ({ spec }) => spec.suspend = true);
    await podsGone(bench, name);
    assert(conditionOf(await bench.jobs.get(name), "Suspended"));
  },

  async "should recreate pods only after they have failed if pod replacement policy is set to Failed"(bench) {
    const name = "pod-recreate-failed";
    const script = "_term(){\nsleep 5\nexit 143\n}\ntrap _term TERM\necho trapped\nwhile true; do\nsleep 1\ndone";
    await bench.jobs.create(jobOf("succeed", name, {
      spec: { parallelism: 1, completions: 1, backoffLimit: 1, podReplacementPolicy: "Failed" },
      container: { command: ["/bin/sh", "-c", script], args: [] },
    }));
    await podsRun(bench, name, 1);
    for (const { metadata } of await bench.podsOf(name)) {
      // A shell that has not come so far ends at once.
      await until("it traps the signal", async () => (await bench.pods.log(metadata.name)).includes("trapped"));
      await bench.pods.delete(metadata.name, { gracePeriodSeconds: 30 });
    }
    const counts = ({ active = 0, failed = 0, terminating }: Json) => `${active} ${failed} ${terminating}`;
    const reaches = (wanted: string) =>
      until(wanted, async () => counts((await bench.jobs.get(name)).status) === wanted, { pollMs: 20 });
    await reaches("0 0 1");
    await reaches("1 1 0");
  },

  async "should create pods for an Indexed job with completion indexes and specified hostname"(bench) {
    const pods = await runIndexed(bench);
    const indexOf = ({ metadata }: Json) => metadata.annotations["batch.kubernetes.io/job-completion-index"];
    const succeeded = pods.filter(({ status }) => status.phase === "Succeeded");
    assertEquals(succeeded.map(indexOf).sort(), ["0", "1", "2", "3"]);
    for (const pod of succeeded) assertEquals(pod.spec.hostname, `indexed-job-${indexOf(pod)}`);
  },

  async "should create pods with completion indexes for an Indexed Job"(bench) {
    const labels = (await runIndexed(bench)).map(({ metadata }) => metadata.labels);
    const indexes = labels.map((of) => of["batch.kubernetes.io/job-completion-index"]);
    assertEquals([...new Set(indexes)].sort(), ["0", "1", "2", "3"]);
  },

  "with successPolicy should succeeded when all indexes succeeded": (bench) =>
    succeedsByPolicy(bench, "succeed", { completions: 2 }, { succeededCount: 2 }, { succeeded: 2, failed: 0 }),

  "with successPolicy succeededIndexes rule should succeeded even when some indexes remain pending": (bench) =>
    succeedsByPolicy(bench, "failOddSucceedEven", { completions: 5 }, { succeededIndexes: "0" }, {
      succeeded: 1,
      completedIndexes: "0",
    }),

  "with successPolicy succeededCount rule should succeeded even when some indexes remain pending": (bench) =>
    succeedsByPolicy(bench, "failOddSucceedEven", { completions: 5, backoffLimit: 2147483647 }, { succeededCount: 1 }, {
      succeeded: 1,
      completedIndexes: "0",
    }),

  async "should execute all indexes despite some failing when using backoffLimitPerIndex"(bench) {
    const spec = { ...INDEXED, backoffLimit: undefined, backoffLimitPerIndex: 1 };
    const { status } = await runToFailure(bench, "failOddSucceedEven", spec);
    assertEquals([status.failedIndexes, status.completedIndexes, status.failed, status.succeeded], [
      "1,3",
      "0,2",
      4,
      2,
    ]);
  },

  async "should terminate job execution when the number of failed indexes exceeds maxFailedIndexes"(bench) {
    const limits = { backoffLimit: undefined, backoffLimitPerIndex: 0, maxFailedIndexes: 0 };
    const { status } = await runToFailure(bench, "fail", { ...INDEXED, ...limits, parallelism: 1 });
    assertEquals([status.failedIndexes, status.failed], ["0", 1]);
  },

  async "should record the failure-count in the Pod annotation when using backoffLimitPerIndex"(bench) {
    const counts: Record<string, string[]> = {};
    const follow = async () => {
      const query = { sendInitialEvents: "true", allowWatchBookmarks: "true", resourceVersionMatch: "NotOlderThan" };
      const labelSelector = "batch.kubernetes.io/job-name=work";
      let left = 4;
      for await (const { type, object: { metadata } } of bench.pods.watch({ labelSelector, ...query })) {
        if (type !== "ADDED") continue;
        const index = metadata.annotations["batch.kubernetes.io/job-completion-index"];
        (counts[index] ??= []).push(metadata.annotations["batch.kubernetes.io/job-index-failure-count"]);
        if (--left === 0) return;
      }
    };
    const followed = follow();
    const spec = { ...INDEXED, completions: 2, backoffLimit: undefined, backoffLimitPerIndex: 1 };
    const { status } = await runToFailure(bench, "fail", spec);
    await followed;
    assertEquals(counts, { 0: ["0", "1"], 1: ["0", "1"] });
    const { failedIndexes, completedIndexes = "", failed, succeeded = 0 } = status;
    assertEquals([failedIndexes, completedIndexes, failed, succeeded], ["0,1", "", 4, 0]);
  },

  async "should mark indexes as failed when the FailIndex action is matched in podFailurePolicy"(bench) {
    const rules = [{ action: "FailIndex", onExitCodes: { operator: "In", values: [1] } }];
    const limits = { backoffLimit: undefined, backoffLimitPerIndex: 1, podFailurePolicy: { rules } };
    const { status } = await runToFailure(bench, "failOddSucceedEven", { ...INDEXED, completions: 2, ...limits });
    assertEquals([status.failedIndexes, status.completedIndexes, status.failed, status.succeeded], ["1", "0", 1, 1]);
  },

  async "should remove pods when job is deleted"(bench) {
    await bench.jobs.create(jobOf("notTerminate", "all-pods-removed"));
    await podsRun(bench, "all-pods-removed", 2);
    await deleteAndWait(bench, "all-pods-removed");
    await podsGone(bench, "all-pods-removed");
  },

  async "should fail when exceeds active deadline"(bench) {
    await bench.jobs.create(jobOf("notTerminate", "exceed-active-deadline", { spec: { activeDeadlineSeconds: 1 } }));
    await condition(bench, "exceed-active-deadline", "FailureTarget", "DeadlineExceeded");
    await condition(bench, "exceed-active-deadline", "Failed", "DeadlineExceeded");
    assertStill(await bench.jobs.get("exceed-active-deadline"));
  },

  async "should delete a job"(bench) {
    await bench.jobs.create(jobOf("notTerminate", "foo"));
    await podsRun(bench, "foo", 2);
    await deleteAndWait(bench, "foo");
    assertEquals(await bench.jobs.get("foo").catch(({ code, reason }) => [code, reason]), [404, "NotFound"]);
  },

  async "should adopt matching orphans and release non-matching pods"(bench) {
    const name = "adopt-release";
    const job = await bench.jobs.create(jobOf("notTerminate", name));
    await podsRun(bench, name, 2);
    const pods = await bench.podsOf(name);
    assertEquals(pods.length, 2);
    const pod = must(pods[0]).metadata.name;
    const ownerOf = async () =>
      (await bench.pods.get(pod)).metadata.ownerReferences?.find((one: Json) => one.controller);
    await bench.pods.edit(pod, ({ metadata }) => delete metadata.ownerReferences);
    const owner = await until("it is adopted", ownerOf);
    assertEquals([owner.kind, owner.name, owner.uid], ["Job", name, job.metadata.uid]);
    await bench.pods.edit(pod, ({ metadata }) => delete metadata.labels);
    await until("it is released", async () => await ownerOf() === undefined);
  },

  async "should fail to exceed backoffLimit"(bench) {
    const limits = { parallelism: 1, completions: 1, backoffLimit: 1 };
    await bench.jobs.create(jobOf("fail", "backofflimit", { spec: limits }));
    await condition(bench, "backofflimit", "FailureTarget", "BackoffLimitExceeded");
    await condition(bench, "backofflimit", "Failed", "BackoffLimitExceeded");
    assertEquals(await phasesOf(bench, "backofflimit"), ["Failed", "Failed"]);
    assertStill(await bench.jobs.get("backofflimit"));
  },

  async "should run a job to completion with CPU requests"(bench, cluster) {
    const node = await nodeThatTakesPods(bench, cluster);
    const { status } = await bench.client.resource("nodes").get(node);
    const cpu = String(Math.trunc(0.2 * Number(status.allocatable.cpu)));
    await bench.jobs.create(jobOf("succeed", "all-succeed", {
      spec: { parallelism: 90, completions: 90, backoffLimit: 0 },
      container: { resources: { requests: { cpu } } },
      on: { node, directory: "" },
    }));
    await completes(bench, "all-succeed", "CompletionsReached", 90);
    assertEquals((await phasesOf(bench, "all-succeed")).filter((phase) => phase === "Succeeded").length, 90);
  },

  async "should apply changes to a job status"(bench) {
    const name = "suspend-false-to-true";
    const job = await bench.jobs.create(jobOf("notTerminate", name));
    await podsRun(bench, name, 2);
    const timeOf = (of: Json) => conditionOf(of, "CustomConditionType")?.lastTransitionTime;
    const first = now();
    const patched = await bench.jobs.patch(name, {
      metadata: { annotations: { patchedstatus: "true" } },
      status: {
        conditions: [{
          type: "CustomConditionType",
          status: "True",
          lastTransitionTime: first,
          lastProbeTime: null,
        }],
      },
    }, { type: "merge", subresource: "status" });
    assertEquals([timeOf(patched), patched.metadata.annotations.patchedstatus], [first, "true"]);
    const second = now(1000);
    const updated = await bench.jobs.edit(
      name,
      (of) => must(conditionOf(of, "CustomConditionType")).lastTransitionTime = second,
      "status",
    );
    assertEquals(timeOf(updated), second);
    const path = `/apis/batch/v1/namespaces/${bench.namespace}/jobs/${name}/status`;
    assertEquals((await bench.client.json(path)).metadata.uid, job.metadata.uid);
  },

  async "should manage the lifecycle of a job"(bench) {
    const name = "e2e-12345", labelSelector = `e2e-job-label=${name}`;
    const before = await bench.jobs.list({ labelSelector });
    const seen = async (type: string, resourceVersion: string, isIt: (metadata: Json) => boolean) => {
      const query = { labelSelector, resourceVersion, allowWatchBookmarks: "true" };
      for await (const event of bench.jobs.watch(query)) {
        if (event.type === type && isIt(event.object.metadata)) return;
      }
    };
    const labels = { "e2e-job-label": name };
    const job = await bench.jobs.create(jobOf("succeed", name, { labels, spec: { suspend: true } }));
    const patch = { metadata: { labels: { [name]: "patched" } } };
    const patched = await bench.jobs.patch(name, patch, { type: "strategic-merge" });
    assert(BigInt(job.metadata.resourceVersion) < BigInt(patched.metadata.resourceVersion));
    await seen("MODIFIED", before.metadata.resourceVersion, (metadata) => metadata.labels[name] === "patched");
    const updated = await bench.jobs.edit(name, ({ metadata, spec }) => {
      spec.suspend = false;
      metadata.annotations = { ...metadata.annotations, updated: "true" };
    });
    await seen("MODIFIED", patched.metadata.resourceVersion, (metadata) => metadata.annotations?.updated === "true");
    assertEquals((await bench.client.resource("jobs").list({ labelSelector })).items.length, 1);
    await completes(bench, name, "CompletionsReached", 4);
    await bench.jobs.deleteCollection({ propagationPolicy: "Background" }, { labelSelector });
    await seen("DELETED", updated.metadata.resourceVersion, (metadata) => metadata.labels["e2e-job-label"] === name);
    assertEquals((await bench.client.resource("jobs").list({ labelSelector })).items, []);
  },

  async "should update the status ready field"(bench) {
    const ready = (count: number) =>
      until(`${count} are ready`, async () => (await bench.jobs.get("all-ready")).status.ready === count);
    await bench.jobs.create(jobOf("notTerminate", "all-ready", { spec: { suspend: true } }));
    await ready(0);
    await bench.jobs.edit("all-ready", ({ spec }) => spec.suspend = false);
    await ready(2);
    await bench.jobs.edit("all-ready", ({ spec }) => spec.suspend = true);
    await ready(0);
  },

  async "should allow to delegate reconciliation to external controller"(bench) {
    const managedBy = "example.com/custom-job-controller";
    await bench.jobs.create(jobOf("succeed", "managed-by", { spec: { managedBy } }));
    for (let looks = 0; looks < 3; looks++) {
      assertEquals((await bench.jobs.get("managed-by")).status, {});
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  },

  "should allow to change the resources of a suspended job that has not started": (bench) =>
    changesResources(bench, true),

  "should allow to change the resources of a job that was suspended": (bench) => changesResources(bench, false),
};

/** Those that mount a directory at a path of the container's own: not for plain processes. */
export const MOUNTING_JOB_TESTS: Record<string, Trial> = {
  async "should run a job to completion when tasks sometimes fail and are locally restarted"(bench) {
    await bench.jobs.create(jobOf("failOnce", "fail-once-local", { restartPolicy: "OnFailure" }));
    await completes(bench, "fail-once-local", "CompletionsReached", 4);
  },

  async "should allow to use the pod failure policy on exit code to fail the job early"(bench, cluster) {
    const rules = [{ action: "FailJob", onExitCodes: { operator: "In", values: [1] } }];
    const job = jobOf("failOnce", "pod-failure-failjob", { ...on(cluster), spec: { podFailurePolicy: { rules } } });
    await bench.jobs.create(job);
    await condition(bench, "pod-failure-failjob", "Failed");
  },

  async "should allow to use a pod failure policy to ignore failure matching on exit code"(bench, cluster) {
    const name = "fail-pod-ignore-on-exit-code";
    const rules = [{ action: "Ignore", onExitCodes: { operator: "In", values: [42] } }];
    const spec = { ...INDEXED, parallelism: 3, completions: 3, backoffLimit: 2, podFailurePolicy: { rules } };
    await bench.jobs.create(jobOf("failOncePerIndex", name, { ...on(cluster), spec }));
    await completes(bench, name, "CompletionsReached", 3);
  },

  async "should allow to use a pod failure policy to ignore failure matching on DisruptionTarget condition"(
    bench,
    cluster,
  ) {
    const name = "evicted-pod-ignore-on-disruption-condition";
    const rules = [{ action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] }];
    const spec = { ...INDEXED, parallelism: 3, completions: 3, backoffLimit: 2, podFailurePolicy: { rules } };
    await bench.jobs.create(jobOf("notTerminateOncePerIndex", name, { ...on(cluster), spec }));
    await until("3 are ready", async () => (await bench.jobs.get(name)).status.ready === 3);
    const pods = (await bench.podsOf(name)).filter(({ status }) => status.phase === "Running");
    assertEquals(pods.length, 3);
    await Promise.all(pods.map(async ({ metadata }) => {
      await bench.pods.evict(metadata.name, bench.namespace);
      await until("it is gone", () => isGone(bench.pods.get(metadata.name)));
    }));
    await completes(bench, name, "CompletionsReached", 3);
  },

  async "should run a job to completion when tasks sometimes fail and are not locally restarted"(bench, cluster) {
    const name = "fail-once-non-local";
    await bench.jobs.create(jobOf("failOnce", name, on(cluster)));
    await condition(bench, name, "SuccessCriteriaMet", "CompletionsReached");
    await completes(bench, name, "CompletionsReached", 4);
    assertStill(await bench.jobs.get(name));
  },

  async "containers restarted by container restart policy should not trigger PodFailurePolicy"(bench, cluster) {
    const onExitCodes = { containerName: "c", operator: "In", values: [1] };
    const rules = [{ action: "FailJob", onExitCodes }];
    const spec = { parallelism: 1, completions: 1, backoffLimit: 1, podFailurePolicy: { rules } };
    const container = { restartPolicy: "OnFailure" };
    await bench.jobs.create(jobOf("failOnce", "managed-by", { ...on(cluster), spec, container }));
    await completes(bench, "managed-by", "CompletionsReached", 1);
    assertStill(await bench.jobs.get("managed-by"));
  },
};

/** Four indexes unless something else is said. */
const INDEXED = { completionMode: "Indexed" };

function on({ node, hostPath }: Cluster) {
  return { on: { node, directory: `${must(hostPath)}/${crypto.randomUUID().slice(0, 10)}` } };
}

/** That of a Pod under the restricted standard; plain processes have no user but who started the program. */
async function nodeThatTakesPods(bench: Bench, { hostPath }: Cluster): Promise<string> {
  const user = hostPath === undefined ? {} : { runAsNonRoot: true, runAsUser: 1000 };
  await bench.pods.create({
    metadata: { name: "without-label" },
    spec: {
      terminationGracePeriodSeconds: 1,
      securityContext: { ...user, seccompProfile: { type: "RuntimeDefault" } },
      containers: [{
        name: "without-label",
        image: PAUSE,
        securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
      }],
    },
  });
  await until("it runs", async () => (await bench.pods.get("without-label")).status.phase === "Running");
  const { nodeName } = (await bench.pods.get("without-label")).spec;
  await bench.pods.delete("without-label", { gracePeriodSeconds: 0 });
  return nodeName;
}

async function runIndexed(bench: Bench): Promise<Json[]> {
  await bench.jobs.create(jobOf("succeed", "indexed-job", { spec: INDEXED }));
  await completes(bench, "indexed-job", "CompletionsReached", 4);
  return await bench.podsOf("indexed-job");
}

async function runToFailure(bench: Bench, behaviour: Behaviour, spec: Json): Promise<Json> {
  await bench.jobs.create(jobOf(behaviour, "work", { spec }));
  await condition(bench, "work", "Failed");
  return await bench.jobs.get("work");
}

async function succeedsByPolicy(bench: Bench, behaviour: Behaviour, spec: Json, rule: Json, expected: Json) {
  await bench.jobs.create(
    jobOf(behaviour, "with-success-policy", { spec: { ...INDEXED, ...spec, successPolicy: { rules: [rule] } } }),
  );
  await condition(bench, "with-success-policy", "SuccessCriteriaMet", "SuccessPolicy");
  await completes(bench, "with-success-policy", "SuccessPolicy", expected.succeeded);
  const job = await bench.jobs.get("with-success-policy");
  assertStill(job);
  for (const [field, value] of Object.entries(expected)) assertEquals(job.status[field] ?? 0, value, field);
}

async function changesResources(bench: Bench, isSuspendedAtFirst: boolean): Promise<void> {
  const behaviour = isSuspendedAtFirst ? "succeed" : "notTerminate";
  const resources = { requests: { cpu: "100m", memory: "64Mi" } };
  const container = { image: BUSYBOX, command: ["sleep", "300"], args: [], resources };
  await bench.jobs.create(jobOf(behaviour, "work", { spec: { suspend: isSuspendedAtFirst }, container }));
  if (!isSuspendedAtFirst) {
    await podsRun(bench, "work", 2);
    await bench.jobs.edit("work", ({ spec }) => spec.suspend = true);
    await podsGone(bench, "work");
  }
  await condition(bench, "work", "Suspended");
  await until("it has no start", async () => (await bench.jobs.get("work")).status.startTime === undefined);
  const more = { requests: { cpu: "150m", memory: "96Mi" }, limits: { cpu: "1" } };
  await bench.jobs.edit("work", ({ spec }) => spec.template.spec.containers[0].resources = more);
  await bench.jobs.edit("work", ({ spec }) => spec.suspend = false);
  await podsRun(bench, "work", 2);
  for (const { spec } of await bench.podsOf("work")) assertEquals(spec.containers[0].resources, more);
}

async function completes(bench: Bench, name: string, reason: string, succeeded: number): Promise<void> {
  await until(`${succeeded} of ${name} have succeeded`, async () => {
    const job = await bench.jobs.get(name);
    assert(!conditionOf(job, "Failed"), `It has failed: ${JSON.stringify(job.status)}`);
    return job.status.succeeded === succeeded;
  });
  await condition(bench, name, "Complete", reason);
}

async function condition(bench: Bench, name: string, type: string, reason?: string): Promise<void> {
  await until(`${name} is ${type} ${reason}`, async () => {
    const found = conditionOf(await bench.jobs.get(name), type);
    return found && (reason === undefined || found.reason === reason);
  });
}

function conditionOf({ status }: Json, type: string): Json | undefined {
  return status.conditions?.find((one: Json) => one.type === type && one.status === "True");
}

/** Counts that are zero are said to be. */
function assertStill({ status: { active = 0, ready, terminating } }: Json): void {
  assertEquals({ active, ready, terminating }, { active: 0, ready: 0, terminating: 0 });
}

async function podsRun(bench: Bench, name: string, count: number): Promise<void> {
  await until(`${count} Pods of ${name} run`, async () => {
    return (await phasesOf(bench, name)).filter((phase) => phase === "Running").length === count;
  });
}

async function podsGone(bench: Bench, name: string): Promise<void> {
  await until(`no Pods of ${name}`, async () => (await bench.podsOf(name)).length === 0);
}

async function phasesOf(bench: Bench, name: string): Promise<string[]> {
  return (await bench.podsOf(name)).map(({ status }) => status.phase);
}

/** In the background, as the suite waits for the garbage collector: first no Pod runs, then there is none. */
async function deleteAndWait(bench: Bench, name: string): Promise<void> {
  await bench.jobs.delete(name, { propagationPolicy: "Background" });
  await podsGone(bench, name);
}

/** Whether there is no such object. */
export async function isGone(got: Promise<Json>): Promise<boolean> {
  return await got.then(() => false, (error) => {
    if (error instanceof Refused && error.code === 404) return true;
    throw error;
  });
}

/** In whole seconds. */
export function now(plusMs = 0): string {
  return new Date(Date.now() + plusMs).toISOString().replace(/\.\d+Z$/, "Z");
}
