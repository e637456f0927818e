import { assertEquals } from "@std/assert";
import type { PodLogSource } from "../../src/apiserver/pod_logs.ts";
import { addLogsCommand } from "../../src/cli/logs/command.ts";
import { containersWithLogs, waitOf } from "../../src/cli/logs/containers.ts";
import { type Pod, PODS } from "../../src/kube/resource.ts";
import { test } from "../support/test.ts";
import { runCommand } from "./run_command.ts";
import { BATCH, SeededCluster, type SeededCronJob } from "./support/seeded_cluster.ts";

const STUCK: SeededCronJob = {
  name: "sync",
  api: BATCH,
  jobs: [{ at: "10:00", waiting: ["CrashLoopBackOff", "back-off 10s"] }],
};

function podWith(status: Record<string, unknown>): Pod {
  return { metadata: { name: "x" }, status: { containerStatuses: [{ name: "main", ...status }] } } as unknown as Pod;
}

test("what was read is told apart by the start of its container", () => {
  const ended = { exitCode: 1, containerID: "a" };
  const starts = (status: Record<string, unknown>) => containersWithLogs(podWith(status)).map(({ start }) => start);
  assertEquals(starts({ state: { running: {} }, containerID: "a", restartCount: 0 }), ["a"]);
  const waiting = { waiting: { reason: "CrashLoopBackOff" } };
  assertEquals(starts({ state: waiting, lastState: { terminated: ended }, containerID: "a", restartCount: 0 }), ["a"]);
  assertEquals(starts({ state: { running: {} }, containerID: "b", restartCount: 1 }), ["b"]);
  assertEquals(starts({ state: { waiting: { reason: "ImagePullBackOff" } }, restartCount: 0 }), []);
});

const LOGS: PodLogSource = {
  open: () => Promise.resolve(new Blob(["no such table\n"]).stream()),
};

test("logs of a container that crashes again and again are read", async () => {
  await using cluster = await SeededCluster.start("10:20", [STUCK], { podLogs: LOGS });
  const logs = () =>
    runCommand(
      (program) => addLogsCommand(program, cluster.clock),
      "logs",
      "sync",
      "--kubeconfig",
      cluster.kubeconfig,
    );
  const failure = await logs().catch((failure: Error) => failure.message);
  assertEquals(failure, "The run sync-29552280 has no Pod whose output could be read");
  const pod = { namespace: "default", name: "sync-29552280-x" };
  const status = {
    containerStatuses: [{
      name: "main",
      image: "busybox",
      imageID: "",
      ready: false,
      restartCount: 2,
      state: { waiting: { reason: "CrashLoopBackOff" } },
      lastState: { terminated: { exitCode: 1, reason: "Error" } },
    }],
  };
  const { client } = cluster.api;
  await client.patch(PODS, pod, { type: "merge", body: { status } }, { subresource: "status" });
  const unbound = await logs();
  assertEquals([unbound.stdout, unbound.stderr], ["", ""]);
  await client.patch(PODS, pod, { type: "merge", body: { spec: { nodeName: "node" } } });
  const { stdout, stderr } = await logs();
  assertEquals([stdout, stderr], ["no such table", ""]);
});

test("a Pod that waits says for what", () => {
  const waiting = { reason: "ImagePullBackOff", message: "not found" };
  assertEquals(waitOf(podWith({ state: { waiting } })), "Pod x has not started: ImagePullBackOff: not found");
  assertEquals(waitOf(podWith({ state: { waiting: { reason: "ContainerCreating" } } })), undefined);
  assertEquals(waitOf(podWith({ state: { running: {} } })), undefined);
});
