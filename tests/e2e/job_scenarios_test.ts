import { assert, assertEquals, assertMatch } from "@std/assert";
import { JOBS, type Pod, PODS } from "../../src/kube/resource.ts";
import { type Bench, outcomeOf, startWorkstation, type Workstation } from "../job/support/workstation.ts";
import { atLeast, must } from "../support/expected.ts";
import { Kubectl } from "../support/kubectl.ts";
import { test } from "../support/test.ts";

// What Kubernetes' own end-to-end suite does not try with Jobs, or only with mounts. All scenarios run at the same time on
// one API server, each in a namespace of its own.

const scenarios: Record<string, (bench: Bench, workstation: Workstation) => Promise<void>> = {
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

  async "removes the Pods of a deleted Job"(bench) {
    await bench.run("work", { script: "sleep 100", parallelism: 2, completions: 2 });
    await bench.until("2 active", async () => (await bench.job("work")).status?.active === 2);
    await bench.client.delete(JOBS, { name: "work", namespace: bench.namespace }, { propagationPolicy: "Foreground" });
    await bench.gone("work");
    await bench.until("its Pods are gone", async () => (await bench.pods()).length === 0);
  },

  async "deletes a finished Job when its time to live is over"(bench) {
    await bench.run("work", { script: "true", ttlSecondsAfterFinished: 0 });
    await bench.gone("work");
    await bench.until("its Pods are gone", async () => (await bench.pods()).length === 0);
  },

  async "is waited for, and described, by kubectl"(bench, { kubeconfigPath }) {
    await bench.run("work", { script: "true" });
    const kubectl = async (...args: string[]) => {
      const { stdout, stderr } = await new Kubectl(kubeconfigPath, bench.namespace).run(args);
      assertEquals(stderr, "");
      return stdout;
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
