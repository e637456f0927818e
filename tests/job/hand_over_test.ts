import { assertEquals } from "@std/assert";
import { type Job, JOBS, PODS } from "../../src/kube/resource.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { test } from "../support/test.ts";
import { countRequests } from "./support/count_requests.ts";
import { type RunningController, startJobController } from "./support/running_controller.ts";
import { Bench } from "./support/workstation.ts";

const COMPLETIONS = 12;
const PARALLELISM = 3;

test("Job controllers that hand over while Pods end neither double a Pod nor lose a count", async () => {
  await using api = await startTestApiServer();
  const bench = new Bench(api.client, "default");
  const standBy = async (): Promise<{ controller: RunningController; lead: () => void }> => {
    const leading = Promise.withResolvers<void>();
    const controller = await startJobController(api.client, { leading: { ready: () => leading.promise } });
    return { controller, lead: leading.resolve };
  };
  let leader = await standBy();
  leader.lead();
  await bench.run("work", { script: "true", completions: COMPLETIONS, parallelism: PARALLELISM });

  // The test is the kubelet: Pods succeed at any moment, also while there is no leader.
  let isOver = false;
  const kubelet = (async () => {
    while (!isOver) {
      const pending = (await bench.pods()).filter(({ status }) => status?.phase === "Pending");
      for (const { metadata } of pending.slice(0, 1)) {
        await bench.patchPod(metadata.name, { status: { phase: "Succeeded" } }, "status");
      }
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
  })();
  let most = 0;
  for (let handOver = 0; handOver < 6; handOver++) {
    const next = await standBy();
    await new Promise((resolve) => setTimeout(resolve, 40 * handOver));
    await leader.controller[Symbol.asyncDispose]();
    next.lead();
    leader = next;
    const active = (await bench.pods()).filter(({ status }) => status?.phase === "Pending").length;
    most = Math.max(most, active);
  }
  const job: Job = await bench.ended("work");
  isOver = true;
  await kubelet;
  await bench.until(
    "no finalizer is left",
    async () => (await bench.pods()).every(({ metadata }) => !metadata.finalizers?.length),
  );
  await leader.controller[Symbol.asyncDispose]();
  assertEquals([job.status?.succeeded, job.status?.failed ?? 0], [COMPLETIONS, 0]);
  assertEquals((await bench.pods()).length, COMPLETIONS);
  assertEquals(most <= PARALLELISM, true, `${most} Pods at a time`);
});

test("A Job controller that stands by asks for nothing but its caches, whatever happens", async () => {
  await using api = await startTestApiServer();
  const bench = new Bench(api.client, "default");
  const requests = countRequests(api.client);
  await using _ = await startJobController(requests.client, { leading: { ready: () => new Promise(() => {}) } });
  await bench.run("work", { script: "true" });
  const { metadata } = await bench.job("work");
  await api.client.create(PODS, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "orphan", namespace: "default", finalizers: ["batch.kubernetes.io/job-tracking"] },
    spec: { containers: [{ name: "main", image: "busybox" }] },
  });
  await new Promise((resolve) => setTimeout(resolve, 200));
  await api.client.delete(JOBS, { name: "work", namespace: metadata.namespace });
  await new Promise((resolve) => setTimeout(resolve, 200));
  assertEquals(requests.made, []);
});
