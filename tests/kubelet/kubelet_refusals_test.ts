import { assertEquals, assertStringIncludes } from "@std/assert";
import { CONFIG_MAPS, JOBS } from "../../src/kube/resource.ts";
import { atLeast } from "../support/expected.ts";
import { test } from "../support/test.ts";
import { podOf, shell, startKubelet, until } from "./support/test_kubelet.ts";
import { controlledBy, jobOf } from "../support/job.ts";

test("Kubelet fails a Pod that says nothing to run, and names the remedy", async () => {
  await using kubelet = await startKubelet();
  await kubelet.create(podOf("image-only", {}));
  const pod = await kubelet.finished("image-only");
  assertEquals([pod.status?.phase, pod.status?.reason], ["Failed", "MissingCommand"]);
  assertEquals(pod.status?.containerStatuses?.[0]?.state?.waiting?.reason, "CreateContainerConfigError");
  const [event] = atLeast(1, kubelet.events);
  assertEquals([event.type, event.reason], ["Warning", "MissingCommand"]);
  assertStringIncludes(event.message, "set spec.containers[0].command");
  assertEquals(kubelet.troubles.map(({ reason }) => reason), ["MissingCommand"]);
});

test("Kubelet says once a Job which fields of its Pods have no effect", async () => {
  await using kubelet = await startKubelet();
  const limited = { ...shell("true"), resources: { limits: { cpu: "1" } } };
  for (const name of ["a", "b"]) await kubelet.client.create(JOBS, jobOf({ name }));
  for (const [name, job] of [["a-1", "a"], ["a-2", "a"], ["b-1", "b"]] as const) {
    const pod = podOf(name, limited);
    const owner = await kubelet.client.get(JOBS, { name: job, namespace: "default" });
    const metadata = { ...pod.metadata, ownerReferences: [controlledBy(owner)] };
    await kubelet.create({ ...pod, metadata });
    await kubelet.finished(name);
  }
  const told = kubelet.events.filter(({ reason }) => reason === "Ignored");
  assertEquals(told.map(({ regarding }) => regarding.metadata.name), ["a-1", "b-1"]);
});

test("Kubelet says that there is no such program", async () => {
  await using kubelet = await startKubelet();
  await kubelet.create(podOf("typo", { command: ["no-such-program"] }));
  const pod = await kubelet.finished("typo");
  const terminated = pod.status?.containerStatuses?.[0]?.state?.terminated;
  assertEquals([pod.status?.phase, terminated?.exitCode, terminated?.reason], ["Failed", 128, "StartError"]);
  assertEquals(terminated?.message, 'exec: "no-such-program": executable file not found in $PATH');
  assertEquals(kubelet.reasons(), ["Failed"]);
  assertEquals(kubelet.troubles.map(({ reason }) => reason), ["Failed"]);
});

test("Kubelet takes args alone for the command line", async () => {
  await using kubelet = await startKubelet();
  await kubelet.create(podOf("args", { args: ["/bin/sh", "-c", "date; echo Hello from the Kubernetes cluster"] }));
  assertStringIncludes(kubelet.log(await kubelet.finished("args")), "Hello from the Kubernetes cluster\n");
});

test("Kubelet waits for a ConfigMap that is missing, and says so", async () => {
  await using kubelet = await startKubelet();
  const env = [{ name: "COLOUR", valueFrom: { configMapKeyRef: { name: "settings", key: "colour" } } }];
  await kubelet.create(podOf("waiting", { ...shell("echo $COLOUR"), env }));
  const waiting = await kubelet.until(
    "waiting",
    ({ status }) => status?.containerStatuses?.[0]?.state?.waiting?.message,
  );
  assertEquals(waiting.status?.phase, "Pending");
  assertEquals(waiting.status?.containerStatuses?.[0]?.state?.waiting, {
    reason: "CreateContainerConfigError",
    message: 'configmap "settings" not found',
  });
  const metadata = { name: "settings", namespace: "default" };
  await kubelet.client.create(CONFIG_MAPS, { apiVersion: "v1", kind: "ConfigMap", metadata, data: { colour: "red" } });
  assertEquals(kubelet.log(await kubelet.finished("waiting")), "red\n");
});

test("Kubelet says once that a Secret for a volume is missing, and in Events each time that it tries", async () => {
  await using kubelet = await startKubelet();
  const volumes = [{ name: "token", secret: { secretName: "absent" } }];
  await kubelet.create(podOf("mounts", shell("true"), { volumes }));
  await until(() => kubelet.reasons().length > 1);
  const message = 'MountVolume.SetUp failed for volume "token" : secret "absent" not found';
  assertEquals(kubelet.events.slice(0, 2).map(({ reason, message }) => [reason, message]), [
    ["FailedMount", message],
    ["FailedMount", message],
  ]);
  const pod = { namespace: "default", name: "mounts" };
  assertEquals(kubelet.troubles, [{ pod, reason: "FailedMount", message }]);
  const { status } = await kubelet.get("mounts");
  assertEquals(status?.containerStatuses?.[0]?.state?.waiting, { reason: "ContainerCreating", message });
});
