import { assert, assertEquals, assertMatch } from "@std/assert";
import { type Job, JOBS, type Pod, PODS } from "../../src/kube/resource.ts";
import { type Bench, outcomeOf, startWorkstation, type Workstation } from "../job/support/workstation.ts";
import { atLeast, must } from "../support/expected.ts";
import { test } from "../support/test.ts";

// What Kubernetes' own end-to-end suite tries with Jobs, with real processes. All scenarios run at the same time on one API
// server, each in a namespace of its own.

const scenarios: Record<string, (bench: Bench, workstation: Workstation) => Promise<void>> = {
  async "runs a Job to completion when its tasks succeed"(bench) {
    await bench.run("work", { script: "true", parallelism: 2, completions: 4 });
    const { status } = await bench.ended("work");
    assertEquals([status?.succeeded, status?.failed, status?.active], [4, undefined, undefined]);
    assertEquals(status?.conditions?.map(({ type }) => type), ["SuccessCriteriaMet", "Complete"]);
    assert(status!.completionTime! >= status!.startTime!);
    await finalizersGone(bench);
    const pods = await bench.pods();
    assertEquals(pods.length, 4);
    for (const { metadata } of pods) {
      assertMatch(metadata.name, /^work-[a-z0-9]{5}$/);
      assertEquals(metadata.labels?.["batch.kubernetes.io/job-name"], "work");
      assertEquals(metadata.labels?.["job-name"], "work");
    }
  },

  async "runs to completion when tasks fail at times and are restarted locally"(bench) {
    await bench.run("work", {
      script: `[ -e /tmp/$MARK ] && rm /tmp/$MARK || { touch /tmp/$MARK; exit 1; }`,
      restartPolicy: "OnFailure",
      completions: 2,
      parallelism: 2,
      container: { env: [{ name: "MARK", valueFrom: { fieldRef: { fieldPath: "metadata.uid" } } }] },
    });
    const { status } = await bench.ended("work");
    assertEquals([status?.succeeded, status?.failed], [2, undefined]);
    const restarts = (await bench.pods()).map(({ status }) => status?.containerStatuses?.[0]?.restartCount);
    assertEquals(restarts, [1, 1]);
  },

  async "runs to completion when tasks fail at times and are replaced"(bench) {
    const mark = await Deno.makeTempFile();
    await bench.run("work", { script: `if [ -e ${mark} ]; then rm ${mark}; exit 1; fi`, completions: 2 });
    const { status } = await bench.ended("work");
    assertEquals([status?.succeeded, status?.failed], [2, 1]);
    assertEquals((await bench.pods()).length, 3);
  },

  async "fails when it exceeds its active deadline"(bench) {
    await bench.run("work", { script: "sleep 100", activeDeadlineSeconds: 1, parallelism: 2, completions: 2 });
    const job = await bench.ended("work");
    assertEquals(outcomeOf(job), "Failed DeadlineExceeded");
    assertEquals(job.status?.failed, 2);
    await bench.until("its Pods are gone", async () => (await bench.pods()).length === 0);
  },

  async "fails when it exceeds its backoffLimit"(bench) {
    await bench.run("work", { script: "exit 1", backoffLimit: 1 });
    const job = await bench.ended("work");
    assertEquals(outcomeOf(job), "Failed BackoffLimitExceeded");
    assertEquals(job.status?.failed, 2);
    assertEquals((await bench.pods()).filter(({ status }) => status?.phase === "Failed").length, 2);
  },

  async "fails by local restarts when they reach backoffLimit"(bench) {
    await bench.run("work", { script: "exit 1", backoffLimit: 0, restartPolicy: "OnFailure" });
    assertEquals(outcomeOf(await bench.ended("work")), "Failed BackoffLimitExceeded");
  },

  async "fails early by the Pod failure policy on an exit code"(bench) {
    await bench.run("work", {
      script: "exit 42",
      backoffLimit: 6,
      completions: 2,
      podFailurePolicy: {
        rules: [{ action: "FailJob", onExitCodes: { containerName: "main", operator: "In", values: [42] } }],
      },
    });
    const job = await bench.ended("work");
    assertEquals(outcomeOf(job), "Failed PodFailurePolicy");
    const [failed] = atLeast(1, await bench.pods());
    assertEquals(
      job.status?.conditions?.at(-1)?.message,
      `Container main for pod ${bench.namespace}/${failed.metadata.name} failed with exit code 42 matching FailJob rule at index 0`,
    );
  },

  async "does not count a disruption that the Pod failure policy ignores"(bench) {
    const mark = await Deno.makeTempFile();
    await bench.run("work", {
      script: `if [ -e ${mark} ]; then rm ${mark}; sleep 100; fi`,
      backoffLimit: 0,
      podFailurePolicy: {
        rules: [{ action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] }],
      },
    });
    const pod = await runningPod(bench);
    await bench.evictPod(pod.metadata.name);
    const job = await bench.ended("work");
    assertEquals([outcomeOf(job), job.status?.failed], ["Complete CompletionsReached", undefined]);
  },

  async "succeeds by its success policy, by count"(bench) {
    await bench.run("work", {
      script: `[ $JOB_COMPLETION_INDEX = 0 ] || exec sleep 100`,
      completionMode: "Indexed",
      completions: 3,
      parallelism: 3,
      successPolicy: { rules: [{ succeededCount: 1 }] },
    });
    const job = await bench.ended("work");
    assertEquals([outcomeOf(job), job.status?.completedIndexes], ["Complete SuccessPolicy", "0"]);
    await bench.until("the others are gone", async () => (await bench.pods()).length === 1);
  },

  async "succeeds by its success policy, by index, although another failed"(bench) {
    await bench.run("work", {
      script: `case $JOB_COMPLETION_INDEX in 0) exec sleep 100;; 1) sleep 0.2;; 2) exit 1;; esac`,
      completionMode: "Indexed",
      completions: 3,
      parallelism: 3,
      backoffLimitPerIndex: 0,
      successPolicy: { rules: [{ succeededIndexes: "1" }] },
    });
    const job = await bench.ended("work");
    const { completedIndexes, failedIndexes, succeeded, failed } = job.status!;
    assertEquals(outcomeOf(job), "Complete SuccessPolicy");
    assertEquals([completedIndexes, failedIndexes, succeeded, failed], ["1", "2", 1, 1]);
  },

  async "creates Pods of an Indexed Job with index and hostname"(bench) {
    await bench.run("work", {
      script: `echo -n $JOB_COMPLETION_INDEX > /dev/null`,
      completionMode: "Indexed",
      completions: 4,
      parallelism: 2,
    });
    const job = await bench.ended("work");
    assertEquals([job.status?.completedIndexes, job.status?.succeeded], ["0-3", 4]);
    const pods = (await bench.pods()).toSorted((a, b) => a.metadata.name < b.metadata.name ? -1 : 1);
    assertEquals(
      pods.map(({ metadata, spec }) => [
        metadata.name.replace(/-[a-z0-9]{5}$/, ""),
        metadata.annotations?.["batch.kubernetes.io/job-completion-index"],
        metadata.labels?.["batch.kubernetes.io/job-completion-index"],
        spec?.hostname,
      ]),
      ["0", "1", "2", "3"].map((index) => [`work-${index}`, index, index, `work-${index}`]),
    );
  },

  async "scales an Indexed Job up and down"(bench) {
    await bench.run("work", { script: "sleep 100", completionMode: "Indexed", completions: 1, parallelism: 1 });
    await bench.until("1 active", async () => (await bench.job("work")).status?.active === 1);
    await bench.patchJob("work", { spec: { completions: 3, parallelism: 3 } });
    await bench.until("3 active", async () => (await bench.job("work")).status?.active === 3);
    await bench.patchJob("work", { spec: { completions: 2, parallelism: 2 } });
    await bench.until("2 active", async () => (await bench.job("work")).status?.active === 2);
    await bench.patchJob("work", { spec: { completions: 0, parallelism: 0 } });
    assertEquals(outcomeOf(await bench.ended("work")), "Complete CompletionsReached");
  },

  async "forgets successes of indexes that it loses when it is scaled down"(bench) {
    await bench.run("work", {
      script: `[ $JOB_COMPLETION_INDEX = 2 ] || exec sleep 100`,
      completionMode: "Indexed",
      completions: 3,
      parallelism: 3,
    });
    await bench.until("index 2 is done", async () => (await bench.job("work")).status?.completedIndexes === "2");
    await bench.patchJob("work", { spec: { completions: 2, parallelism: 2 } });
    await bench.until("it is forgotten", async () => (await bench.job("work")).status?.succeeded === undefined);
  },

  async "runs all indexes although some fail, with backoffLimitPerIndex"(bench) {
    await bench.run("work", {
      script: `[ $((JOB_COMPLETION_INDEX % 2)) = 1 ]`,
      completionMode: "Indexed",
      completions: 4,
      parallelism: 2,
      backoffLimitPerIndex: 1,
    });
    const job = await bench.ended("work");
    assertEquals(outcomeOf(job), "Failed FailedIndexes");
    const { completedIndexes, failedIndexes, succeeded, failed } = job.status!;
    assertEquals([completedIndexes, failedIndexes, succeeded, failed], ["1,3", "0,2", 2, 4]);
    const counts = (await bench.pods())
      .filter(({ metadata }) => metadata.name.startsWith("work-0-"))
      .map(({ metadata }) => metadata.annotations?.["batch.kubernetes.io/job-index-failure-count"]).sort();
    assertEquals(counts, ["0", "1"]);
  },

  async "ends when more indexes fail than maxFailedIndexes"(bench) {
    await bench.run("work", {
      script: "exit 1",
      completionMode: "Indexed",
      completions: 4,
      parallelism: 1,
      backoffLimitPerIndex: 0,
      maxFailedIndexes: 0,
    });
    const job = await bench.ended("work");
    assertEquals([outcomeOf(job), job.status?.failedIndexes], ["Failed MaxFailedIndexesExceeded", "0"]);
  },

  async "fails an index at once by FailIndex"(bench) {
    await bench.run("work", {
      script: `[ $JOB_COMPLETION_INDEX = 1 ] || exit 42`,
      completionMode: "Indexed",
      completions: 2,
      parallelism: 2,
      backoffLimitPerIndex: 3,
      podFailurePolicy: {
        rules: [{ action: "FailIndex", onExitCodes: { operator: "In", values: [42] } }],
      },
    });
    const job = await bench.ended("work");
    assertEquals(outcomeOf(job), "Failed FailedIndexes");
    assertEquals([job.status?.failedIndexes, job.status?.completedIndexes, job.status?.failed], ["0", "1", 1]);
  },

  async "creates no Pods of a suspended Job, and starts it when resumed"(bench) {
    await bench.run("work", { script: "true", suspend: true });
    const suspended = await bench.until("it is suspended", async () => {
      const job = await bench.job("work");
      return job.status?.conditions?.some(({ type }) => type === "Suspended") && job;
    });
    assertEquals([suspended.status?.startTime, (await bench.pods()).length], [undefined, 0]);
    // Only while it is suspended and never started may its scheduling directives change.
    await bench.patchJob("work", { spec: { template: { spec: { nodeSelector: { disk: "fast" } } } } });
    await bench.patchJob("work", { spec: { suspend: false } });
    const job = await bench.ended("work");
    assertEquals(outcomeOf(job), "Complete CompletionsReached");
    assertEquals(job.status?.conditions?.[0]?.reason, "JobResumed");
    assertEquals(must((await bench.pods())[0]).spec?.nodeSelector, { disk: "fast" });
  },

  async "deletes Pods when suspended, and counts none of them"(bench) {
    await bench.run("work", { script: "sleep 100", parallelism: 2, completions: 2, backoffLimit: 0 });
    await bench.until("2 active", async () => (await bench.job("work")).status?.active === 2);
    await bench.patchJob("work", { spec: { suspend: true } });
    await bench.until("no Pods", async () => (await bench.pods()).length === 0);
    const { status } = await bench.until("it says so", async () => {
      const job = await bench.job("work");
      const { conditions, active, terminating } = job.status ?? {};
      return conditions?.some(({ type }) => type === "Suspended") && !active && !terminating && job;
    });
    assertEquals([status?.failed, status?.startTime], [undefined, undefined]);
    // Long ago, for its deadline: that begins anew.
    const longAgo = "2026-01-01T00:00:00Z";
    await bench.patchJob("work", { status: { startTime: longAgo } }, "status");
    await bench.patchJob("work", { spec: { suspend: false, activeDeadlineSeconds: 100 } });
    const resumed = await bench.until("it goes on", async () => {
      const job = await bench.job("work");
      return job.status?.active === 2 && job.status.conditions?.[0]?.status === "False" && job;
    });
    assert(resumed.status!.startTime! > longAgo);
  },

  async "replaces a Pod only after it has failed, under podReplacementPolicy Failed"(bench) {
    const ready = await Deno.makeTempFile();
    await bench.run("work", {
      script: `trap 'sleep 0.7; exit 1' TERM; rm -f ${ready}; while :; do sleep 0.05; done`,
      podReplacementPolicy: "Failed",
      backoffLimit: 3,
    });
    const pod = await runningPod(bench);
    await bench.until("it has set its trap", () => Deno.stat(ready).then(() => false, () => true));
    await bench.deletePod(pod.metadata.name);
    await bench.until("it is replaced", async () => {
      const going = (await bench.pods()).filter(({ status }) => !/Succeeded|Failed/.test(status?.phase ?? ""));
      assert(going.length <= 1, "never two at a time");
      const { status } = await bench.job("work");
      return status?.active === 1 && status.failed === 1;
    });
  },

  async "adopts matching orphans and releases Pods that no longer match"(bench) {
    await bench.run("work", { script: "sleep 100", parallelism: 2, completions: 2 });
    await bench.until("2 active", async () => (await bench.job("work")).status?.active === 2);
    const [first, second] = atLeast(2, await bench.pods());
    await bench.patchPod(first.metadata.name, { metadata: { ownerReferences: null } });
    await bench.until("it is adopted", async () => {
      const pod = (await bench.pods()).find(({ metadata }) => metadata.uid === first.metadata.uid);
      return pod?.metadata.ownerReferences?.[0]?.controller;
    });
    await bench.patchPod(second.metadata.name, {
      metadata: { labels: { "batch.kubernetes.io/controller-uid": null, "controller-uid": null } },
    });
    await bench.until("it is released and replaced", async () => {
      const pods = await bench.pods();
      const released = pods.find(({ metadata }) => metadata.uid === second.metadata.uid);
      return pods.length === 3 && !released?.metadata.ownerReferences?.length && !released?.metadata.finalizers?.length;
    });
  },

  async "counts ready Pods"(bench) {
    await bench.run("work", { script: "sleep 100", parallelism: 2, completions: 2 });
    await bench.until("2 ready", async () => (await bench.job("work")).status?.ready === 2);
  },

  async "leaves a Job of another manager alone"(bench) {
    await bench.run("theirs", { script: "true", managedBy: "example.com/other" });
    await bench.run("ours", { script: "true", managedBy: "cronjob-controller.dev/job-controller" });
    await bench.run("default", { script: "true", managedBy: "kubernetes.io/job-controller" });
    await bench.ended("ours");
    await bench.ended("default");
    const theirs = await bench.job("theirs");
    assertEquals(theirs.status, {} as Job["status"]);
    assertEquals((await bench.pods()).filter(({ metadata }) => metadata.labels?.["job-name"] === "theirs"), []);
  },

  async "takes patches of the status, and keeps them"(bench) {
    await bench.run("work", { script: "sleep 100" });
    await bench.until("1 active", async () => (await bench.job("work")).status?.active === 1);
    const condition = { type: "Mine", status: "True", reason: "Because", message: "I say so" };
    await bench.patchJob("work", { status: { conditions: [condition] } }, "status");
    await bench.patchJob("work", { spec: { activeDeadlineSeconds: 1 } });
    const job = await bench.ended("work");
    assertEquals(job.status?.conditions?.map(({ type }) => type), ["Mine", "FailureTarget", "Failed"]);
  },

  async "removes the Pods of a deleted Job"(bench) {
    await bench.run("work", { script: "sleep 100", parallelism: 2, completions: 2 });
    await bench.until("2 active", async () => (await bench.job("work")).status?.active === 2);
    await bench.client.delete(JOBS, { name: "work", namespace: bench.namespace }, { propagationPolicy: "Foreground" });
    await bench.gone("work");
    await bench.until("its Pods are gone", async () => (await bench.pods()).length === 0);
  },

  async "removes the Pods of a Job deleted in the background"(bench) {
    await bench.run("work", { script: "sleep 100" });
    await runningPod(bench);
    await bench.client.delete(JOBS, { name: "work", namespace: bench.namespace }, { propagationPolicy: "Background" });
    await bench.until("its Pods are gone", async () => (await bench.pods()).length === 0);
  },

  async "deletes a finished Job when its time to live is over"(bench) {
    await bench.run("work", { script: "true", ttlSecondsAfterFinished: 0 });
    await bench.gone("work");
    await bench.until("its Pods are gone", async () => (await bench.pods()).length === 0);
  },

  async "works with a selector of the user's own"(bench) {
    const labels = { app: "mine" };
    await bench.client.create(JOBS, {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name: "work", namespace: bench.namespace },
      spec: {
        manualSelector: true,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { restartPolicy: "Never", containers: [{ name: "main", image: "none", command: ["true"] }] },
        },
      },
    });
    const job = await bench.ended("work");
    assertEquals(outcomeOf(job), "Complete CompletionsReached");
  },

  async "takes template fields that it does not know to the Pod"(bench) {
    await bench.run("work", { script: "true", pod: { fieldFromTheFuture: "kept" } as never });
    await bench.ended("work");
    const [pod] = atLeast(1, await bench.pods());
    assertEquals((pod.spec as unknown as Record<string, unknown>).fieldFromTheFuture, "kept");
  },

  async "is waited for, and described, by kubectl"(bench, { kubeconfigPath }) {
    await bench.run("work", { script: "true" });
    const kubectl = async (...args: string[]) => {
      const { code, stdout, stderr } = await new Deno.Command("kubectl", {
        args: ["--kubeconfig", kubeconfigPath, "-n", bench.namespace, ...args],
      }).output();
      assertEquals([code, new TextDecoder().decode(stderr)], [0, ""]);
      return new TextDecoder().decode(stdout);
    };
    await kubectl("wait", "job/work", "--for=condition=Complete", "--timeout=120s");
    assertMatch(await kubectl("get", "jobs"), /work +Complete +1\/1/);
    const description = await bench.until("its Events are there", async () => {
      const text = await kubectl("describe", "job/work");
      return /Job completed/.test(text) && text;
    });
    assertMatch(description, /SuccessfulCreate .*Created pod: work-/);
    assertMatch(description, /0 Active \(0 Ready\) \/ 1 Succeeded \/ 0 Failed/);
  },
};

async function finalizersGone(bench: Bench): Promise<void> {
  await bench.until(
    "finalizers are gone",
    async () => (await bench.pods()).every(({ metadata }) => !metadata.finalizers?.length),
  );
}

function runningPod(bench: Bench): Promise<Pod> {
  return bench.until(
    "a Pod runs",
    async () =>
      (await bench.client.list(PODS, { namespace: bench.namespace })).items.find(({ status }) =>
        status?.phase === "Running"
      ),
  );
}

test("A workstation runs Jobs as Kubernetes does", async (context) => {
  await using workstation = await startWorkstation();
  const only = Deno.env.get("SCENARIO");
  await Promise.all(
    Object.entries(scenarios).filter(([name]) => !only || name.includes(only)).map(([name, scenario], index) =>
      context.step({
        name,
        fn: async () => scenario(await workstation.namespace(`scenario-${index}`), workstation),
        // They run at the same time; the test around them looks for leaks.
        sanitizeOps: false,
        sanitizeResources: false,
        sanitizeExit: false,
      })
    ),
  );
});
