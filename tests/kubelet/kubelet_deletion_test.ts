import { assert, assertEquals, assertMatch } from "@std/assert";
import { PODS } from "../../src/kube/resource.ts";
import { PodLogFiles } from "../../src/kubelet/files/pod_log_files.ts";
import { test } from "../support/test.ts";
import { isRunning, pidIn, podOf, shell, startKubelet, until } from "./support/test_kubelet.ts";

test("Kubelet lets a deleted Pod end by itself, then lets go of it", async () => {
  await using kubelet = await startKubelet();
  const script = "trap 'echo bye; exit 0' TERM; echo up; sleep 1000 & wait";
  const { metadata: { uid } } = await kubelet.create(podOf("leaving", shell(script)));
  await until(() => kubelet.output.length > 0);
  await kubelet.client.delete(PODS, { name: "leaving", namespace: "default" });
  await kubelet.deleted("leaving");
  assertEquals(kubelet.output.map(({ line }) => line), ["up", "bye"]);
  assert(kubelet.reasons("Normal").includes("Killing"));
  await until(() => !kubelet.hasFolderOf(uid));
});

test("Kubelet kills what outstays its grace period, whole", async () => {
  await using kubelet = await startKubelet();
  const pids = `${kubelet.dataDir}/pids`;
  const script = `trap '' TERM; sleep 1000 & echo $! > ${pids}; wait; sleep 1000`;
  await kubelet.create(podOf("stubborn", shell(script)));
  const child = await pidIn(pids);
  await kubelet.client.delete(PODS, { name: "stubborn", namespace: "default" }, { gracePeriodSeconds: 1 });
  await kubelet.deleted("stubborn");
  assertEquals(isRunning(child), false);
});

test("Kubelet keeps to a grace period that is shortened", async () => {
  await using kubelet = await startKubelet();
  await kubelet.create(podOf("stubborn", shell("trap '' TERM; echo up; while :; do sleep 0.1; done")));
  await until(() => kubelet.output.length > 0);
  const name = { name: "stubborn", namespace: "default" };
  await kubelet.client.delete(PODS, name, { gracePeriodSeconds: 60 });
  await kubelet.until("stubborn", ({ metadata }) => metadata.deletionTimestamp);
  await kubelet.client.delete(PODS, name, { gracePeriodSeconds: 1 });
  await kubelet.deleted("stubborn");
});

test("Kubelet ends processes of a Pod that was deleted by force", async () => {
  await using kubelet = await startKubelet();
  const { metadata: { uid } } = await kubelet.create(podOf("forced", shell("echo $$$$ > pid; sleep 1000")));
  const pid = await pidIn(`${kubelet.dataDir}/pods/${uid}/main/0.work/pid`);
  await kubelet.client.delete(PODS, { name: "forced", namespace: "default" }, { gracePeriodSeconds: 0 });
  await until(() => !isRunning(pid));
  await until(() => !kubelet.hasFolderOf(uid));
});

test("Kubelet fails a Pod at its deadline", async () => {
  await using kubelet = await startKubelet();
  await kubelet.create(podOf("late", shell("sleep 1000"), { activeDeadlineSeconds: 4 }));
  const pod = await kubelet.finished("late");
  assertEquals([pod.status?.phase, pod.status?.reason], ["Failed", "DeadlineExceeded"]);
  assertEquals(pod.status?.containerStatuses?.[0]?.state?.terminated?.exitCode, 143);
});

test("Kubelet binds a Pod that no scheduler has placed, so that its deletion waits for it", async () => {
  await using kubelet = await startKubelet();
  const script = "trap 'echo bye; exit 0' TERM; echo on $NODE; sleep 1000 & wait";
  const env = [{ name: "NODE", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } }];
  await kubelet.create(podOf("unplaced", { ...shell(script), env }, { nodeName: undefined }));
  await until(() => kubelet.output.length > 0);
  assertEquals((await kubelet.get("unplaced")).spec?.nodeName, "test-node");
  await kubelet.client.delete(PODS, { name: "unplaced", namespace: "default" });
  await kubelet.deleted("unplaced");
  assertEquals(kubelet.output.map(({ line }) => line), ["on test-node", "bye"]);
});

test("Kubelet lets those who follow a deleted Pod's log have its end", async () => {
  await using kubelet = await startKubelet();
  await kubelet.create(
    podOf("talker", shell('trap "echo bye; exit 0" TERM; echo hello; while :; do sleep 0.05; done')),
  );
  const { metadata } = await kubelet.running("talker");
  const source = new PodLogFiles({ dataDir: kubelet.dataDir });
  const pod = { namespace: "default", name: "talker", uid: metadata.uid };
  const log = await source.open(pod, { container: "main", follow: true });
  const reading = new Response(log).text();
  await until(() => kubelet.output.length > 0);
  await kubelet.client.delete(PODS, { name: "talker", namespace: "default" });
  assertMatch(await reading, /^hello\n[^]*bye\n$/);
});
