import { assert, assertEquals } from "@std/assert";
import { COMPLETION_INDEX, CONTROLLER_UID_LABEL } from "../../src/job/api/names.ts";
import type { JobObserver } from "../../src/job/observer.ts";
import { ApiError } from "../../src/kube/api_error.ts";
import type { KubeClient } from "../../src/kube/client.ts";
import { type Job, JOBS, NAMESPACES, type Pod, PODS } from "../../src/kube/resource.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { must } from "../support/expected.ts";
import { test } from "../support/test.ts";
import { countRequests } from "./support/count_requests.ts";
import { startJobController } from "./support/running_controller.ts";
import { Bench, outcomeOf } from "./support/workstation.ts";

// Against our own API server; the tests themselves are the kubelet.

function endPods(bench: Bench, phase: "Succeeded" | "Failed", count = Infinity): Promise<Pod[]> {
  return bench.until("Pods are there", async () => {
    const pods = (await bench.pods()).filter(({ status }) => status?.phase === "Pending").slice(0, count);
    await Promise.all(pods.map(({ metadata }) => bench.patchPod(metadata.name, { status: { phase } }, "status")));
    return pods.length > 0 && pods;
  });
}

test("A Job of one short Pod takes four requests", async () => {
  await using api = await startTestApiServer();
  const requests = countRequests(api.client);
  await using controller = await startJobController(requests.client);
  const bench = new Bench(api.client, "default");
  await bench.run("work", { script: "true" });
  await bench.until("1 active", async () => (await bench.job("work")).status?.active === 1);
  await endPods(bench, "Succeeded");
  assertEquals(outcomeOf(await bench.ended("work")), "Complete CompletionsReached");
  await bench.until("the finalizer is gone", async () => !must((await bench.pods())[0]).metadata.finalizers?.length);
  assertEquals(requests.made, ["create pods", "replace jobs/status", "replace jobs/status", "patch pods"]);
  assertEquals(controller.events.map(({ reason }) => reason), ["SuccessfulCreate", "Completed"]);
});

test("A Job controller takes up where another was killed", async () => {
  await using api = await startTestApiServer();
  const bench = new Bench(api.client, "default");
  {
    await using _first = await startJobController(api.client);
    await bench.run("work", { script: "true", completions: 3, parallelism: 2 });
    await bench.until("2 active", async () => (await bench.job("work")).status?.active === 2);
  }
  await endPods(bench, "Succeeded", 1);
  await using _second = await startJobController(api.client);
  await bench.until("3 Pods", async () => (await bench.pods()).length === 3);
  await endPods(bench, "Succeeded");
  const job = await bench.ended("work");
  assertEquals([job.status?.succeeded, (await bench.pods()).length], [3, 3]);
});

test("A Job controller that is refused Pods tries one at a time, and says why", async () => {
  await using api = await startTestApiServer();
  const bench = new Bench(api.client, "default");
  let attempts = 0;
  let refuses = true;
  const client = wrap(api.client, "create", () => {
    attempts++;
    if (refuses) throw new ApiError("exceeded quota", { code: 403, reason: "Forbidden" });
  });
  await using controller = await startJobController(client);
  await bench.run("work", { script: "true", completions: 40, parallelism: 40 });
  await bench.until("it has tried", () => Promise.resolve(attempts >= 2));
  assert(attempts < 8, `${attempts} attempts`);
  assertEquals((await bench.job("work")).status?.active, undefined);
  const failed = controller.events.find(({ reason }) => reason === "FailedCreate");
  assertEquals([failed?.type, failed?.message], ["Warning", "Error creating: exceeded quota"]);
  refuses = false;
  await bench.until("all are there", async () => (await bench.job("work")).status?.active === 40);
  assertEquals((await bench.pods()).length, 40);
});

test("A Job controller in managed mode leaves the Jobs and Pods of others alone", async () => {
  await using api = await startTestApiServer();
  const bench = new Bench(api.client, "default");
  const requests = countRequests(api.client);
  await using _controller = await startJobController(requests.client, { mode: "managed" });
  await bench.run("theirs", { script: "true" });
  await bench.run("other", { script: "true", managedBy: "example.com/other" });
  await api.client.create(PODS, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "stray", namespace: "default", finalizers: ["batch.kubernetes.io/job-tracking"] },
    spec: { containers: [{ name: "main", image: "none" }] },
  });
  await bench.run("ours", { script: "true", managedBy: "cronjob-controller.dev/job-controller" });
  await bench.until("ours is active", async () => (await bench.job("ours")).status?.active === 1);
  assertEquals(requests.made, ["create pods", "replace jobs/status"]);
});

test("A Job controller frees Pods whose Job is gone", async () => {
  await using api = await startTestApiServer();
  const bench = new Bench(api.client, "default");
  await using _controller = await startJobController(api.client);
  await bench.run("work", { script: "true" });
  await bench.until("1 active", async () => (await bench.job("work")).status?.active === 1);
  await api.client.delete(JOBS, { name: "work", namespace: "default" }, { propagationPolicy: "Orphan" });
  await bench.until("its Pod has no finalizer", async () => !must((await bench.pods())[0]).metadata.finalizers?.length);
});

test("A Job controller keeps to its namespaces", async () => {
  await using api = await startTestApiServer();
  await api.client.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name: "inside" } });
  await using _controller = await startJobController(api.client, { namespaces: ["inside"] });
  const inside = new Bench(api.client, "inside");
  const outside = new Bench(api.client, "default");
  await outside.run("work", { script: "true" });
  await inside.run("work", { script: "true" });
  await inside.until("1 active", async () => (await inside.job("work")).status?.active === 1);
  assertEquals((await outside.job("work")).status, {} as Job["status"]);
});

test("A Job controller says what it did, for metrics", async () => {
  await using api = await startTestApiServer();
  const bench = new Bench(api.client, "default");
  const told = new Map<string, number>();
  const tell = (what: string, count = 1) => told.set(what, (told.get(what) ?? 0) + count);
  const observer: JobObserver = {
    synced: ({ completion_mode, result }) => void tell(`synced ${completion_mode} ${result}`),
    count: (name, labels, count) => void tell([name, ...Object.values(labels)].join(" "), count),
  };
  await using _controller = await startJobController(api.client, { observer, backoff: { firstMs: 1, maxMs: 1 } });
  await bench.run("other", { script: "true", managedBy: "example.com/other" });
  const rules = [{ action: "Count", onExitCodes: { operator: "NotIn", values: [9] } }];
  await bench.run("work", { script: "true", backoffLimit: 1, podFailurePolicy: { rules } });
  const terminated = { exitCode: 1, finishedAt: "2026-01-01T00:00:00Z", startedAt: "2026-01-01T00:00:00Z" };
  for (let pod = 0; pod < 2; pod++) {
    await bench.until("a Pod has failed", async () => {
      const found = (await bench.pods()).find(({ status }) => status?.phase === "Pending");
      const status = {
        phase: "Failed",
        containerStatuses: [{
          name: "main",
          image: "",
          imageID: "",
          ready: false,
          restartCount: 0,
          state: { terminated },
        }],
      };
      return found && await bench.patchPod(found.metadata.name, { status }, "status");
    });
  }
  assertEquals(outcomeOf(await bench.ended("work")), "Failed BackoffLimitExceeded");
  await bench.until(
    "all is told",
    () => Promise.resolve(told.get("terminated_pods_tracking_finalizer_total delete") === 2),
  );
  assert((told.get("synced NonIndexed success") ?? 0) > 1);
  told.delete("synced NonIndexed success");
  assertEquals(Object.fromEntries([...told].toSorted()), {
    "job_pods_creation_total new succeeded": 1,
    "job_pods_creation_total recreate_failed succeeded": 1,
    "jobs_by_external_controller_total example.com/other": 1,
    "jobs_finished_total NonIndexed failed BackoffLimitExceeded": 1,
    "job_pods_finished_total NonIndexed failed": 2,
    "pod_failures_handled_by_failure_policy_total Count": 2,
    "terminated_pods_tracking_finalizer_total add": 2,
    "terminated_pods_tracking_finalizer_total delete": 2,
  });
});

test("Pods without a controller are adopted by the Job that their labels or a hand-written selector names", async () => {
  await using api = await startTestApiServer();
  const bench = new Bench(api.client, "default");
  await using _controller = await startJobController(api.client);
  const usual = await bench.run("usual", { script: "true", suspend: true });
  await api.client.create(JOBS, {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "manual", namespace: "default" },
    spec: {
      suspend: true,
      manualSelector: true,
      selector: { matchLabels: { app: "mine" } },
      template: {
        metadata: { labels: { app: "mine" } },
        spec: { restartPolicy: "Never", containers: [{ name: "main", image: "none" }] },
      },
    },
  });
  const orphan = (name: string, labels: Record<string, string>) =>
    api.client.create(PODS, {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace: "default", labels, finalizers: ["example.com/keep"] },
      spec: { containers: [{ name: "main", image: "none" }] },
    });
  await orphan("by-uid", { ...usual.spec?.selector?.matchLabels });
  await orphan("by-label", { app: "mine", [CONTROLLER_UID_LABEL]: "of-another" });
  await orphan("stray", { app: "theirs" });
  const owners = await bench.until("two are adopted", async () => {
    const found = (await bench.pods()).map(({ metadata }) => [metadata.name, metadata.ownerReferences?.[0]?.name]);
    return found.filter(([, owner]) => owner !== undefined).length === 2 && found;
  });
  assertEquals(owners.toSorted(), [["by-label", "manual"], ["by-uid", "usual"], ["stray", undefined]]);
});

const ONE_MAY_FAIL = {
  script: "true",
  completionMode: "Indexed",
  completions: 3,
  parallelism: 3,
  backoffLimitPerIndex: 0,
  maxFailedIndexes: 0,
};

test("A Pod that has failed when its Job is to stop it fails its index too", async () => {
  await using api = await startTestApiServer();
  const bench = new Bench(api.client, "default");
  const withIndex = async (index: number) =>
    (await bench.pods()).find(({ metadata }) => metadata.annotations?.[COMPLETION_INDEX] === String(index))!;
  const fail = async (index: number) =>
    await bench.patchPod((await withIndex(index)).metadata.name, { status: { phase: "Failed" } }, "status");
  let isFirst = true;
  const client = wrap(api.client, "delete", async () => {
    if (!isFirst) return;
    isFirst = false;
    await fail(1);
  });
  await using controller = await startJobController(client);
  await bench.run("work", ONE_MAY_FAIL);
  await bench.until("3 active", async () => (await bench.job("work")).status?.active === 3);
  await fail(0);
  const { status } = await bench.ended("work");
  assertEquals([status?.failedIndexes, status?.failed], ["0,1", 3]);
  assertEquals(controller.events.filter(({ reason }) => reason === "FailedDelete"), []);
});

test("A Pod that changes while its Job is to stop it is stopped all the same", async () => {
  await using api = await startTestApiServer();
  const bench = new Bench(api.client, "default");
  const changed = new Set<string>();
  const client = wrap(api.client, "delete", async (name) => {
    if (changed.has(name)) return;
    changed.add(name);
    await bench.patchPod(name, { metadata: { annotations: { changed: "true" } } });
  });
  await using controller = await startJobController(client);
  await bench.run("work", ONE_MAY_FAIL);
  await bench.until("3 active", async () => (await bench.job("work")).status?.active === 3);
  await endPods(bench, "Failed", 1);
  const { status } = await bench.ended("work");
  assertEquals([status?.failedIndexes, status?.failed], ["0", 3]);
  assertEquals(changed.size, 2);
  assertEquals(controller.events.filter(({ reason }) => reason === "SuccessfulDelete").length, 2);
});

/** The same client, with something done before each such request about a Pod. */
function wrap(
  client: KubeClient,
  method: "create" | "delete",
  before: (name: string) => void | Promise<void>,
): KubeClient {
  return new Proxy(client, {
    get(target, property) {
      const value = Reflect.get(target, property);
      if (property !== method) return typeof value === "function" ? value.bind(target) : value;
      return async (...args: unknown[]) => {
        if (args[0] === PODS) await before((args[1] as { name: string }).name);
        return await value.apply(target, args);
      };
    },
  });
}
