import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import type { PodLogOptions, PodLogSource } from "../../src/apiserver/pod_logs.ts";
import { PodLogError } from "../../src/kubelet/files/pod_log_files.ts";
import { addLogsCommand } from "../../src/cli/logs/command.ts";
import { waitOf } from "../../src/cli/logs/words.ts";
import { containersWithLogs } from "../../src/view/containers.ts";
import { JOBS, type Pod, PODS } from "../../src/kube/resource.ts";
import { kubeconfig } from "../support/kubeconfig.ts";
import { temporaryFolder } from "../support/program.ts";
import { startSlowFront } from "../support/slow_front.ts";
import { test } from "../support/test.ts";
import { askForRefused, type Refused } from "./support/refused.ts";
import { type Printed, runCommand } from "./support/run_command.ts";
import { startAna } from "./support/ana.ts";
import { BATCH, SeededCluster, type SeededCronJob } from "./support/seeded_cluster.ts";

const STUCK: SeededCronJob = {
  name: "sync",
  api: BATCH,
  jobs: [{ at: "10:00", waiting: ["CrashLoopBackOff", "back-off 10s"] }],
};

function podWith(status: Record<string, unknown>): Pod {
  return { metadata: { name: "x" }, status: { containerStatuses: [{ name: "main", ...status }] } } as unknown as Pod;
}

test("what was read is distinguished by the start of its container", () => {
  const ended = { exitCode: 1, containerID: "a" };
  const starts = (status: Record<string, unknown>) => containersWithLogs(podWith(status)).map(({ start }) => start);
  assertEquals(starts({ state: { running: {} }, containerID: "a", restartCount: 0 }), ["x/main/a"]);
  const waiting = { waiting: { reason: "CrashLoopBackOff" } };
  assertEquals(starts({ state: waiting, lastState: { terminated: ended }, containerID: "a", restartCount: 0 }), [
    "x/main/a",
  ]);
  assertEquals(starts({ state: { running: {} }, containerID: "b", restartCount: 1 }), ["x/main/b"]);
  assertEquals(starts({ state: { waiting: { reason: "ImagePullBackOff" } }, restartCount: 0 }), []);
});

const LOGS: PodLogSource = {
  open: () => Promise.resolve(new Blob(["no such table\n"]).stream()),
};

test("logs of a container that crashes again and again are read", async () => {
  await using cluster = await SeededCluster.start("10:20", [STUCK], { podLogs: LOGS });
  const logs = () => cluster.run(addLogsCommand, "logs", "sync");
  const failure = await logs().catch((failure: Error) => failure.message);
  assertEquals(
    failure,
    "The run sync-29552280 has no Pod whose output could be read: " +
      "explain sync --job sync-29552280 -n default says what is known of it",
  );
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
  await client.patch(PODS, pod, { type: "merge", body: { spec: { nodeName: "node" } } }, { subresource: "status" });
  const { stdout, stderr } = await logs();
  assertEquals([stdout, stderr], ["no such table", ""]);
});

/** Writes the name of the container, and for a second Pod more than one line; says what was asked. */
class Logs implements PodLogSource {
  readonly asked: string[] = [];
  /** A Pod whose log goes on until this is called. */
  readonly ends = new Map<string, () => void>();

  open(
    { name }: { name: string },
    { container, previous, follow }: PodLogOptions,
  ): Promise<ReadableStream<Uint8Array>> {
    this.asked.push(`${name}/${container}${previous ? " before" : ""}`);
    const text = new TextEncoder().encode(`${container} of ${name.slice(-1)}${previous ? ", before" : ""}\n`);
    return Promise.resolve(
      new ReadableStream({
        start: (controller) => {
          controller.enqueue(text);
          if (follow) this.ends.set(name, () => controller.close());
          else controller.close();
        },
      }),
    );
  }
}

const ENDED = { terminated: { exitCode: 0, reason: "Completed" } };
const RUNNING = { running: { startedAt: "2026-03-10T10:00:00Z" } };

interface PodGiven {
  name: string;
  /** States of containers, by their names. */
  containers: Record<string, unknown>;
  restarts?: number;
}

/** Adds a Pod of the Job `sync-29552280`, bound to a node. */
async function addPod({ api: { client } }: SeededCluster, { name, containers, restarts = 0 }: PodGiven) {
  const { metadata } = await client.get(JOBS, { namespace: "default", name: "sync-29552280" });
  const owner = { apiVersion: "batch/v1", kind: "Job", name: metadata.name, uid: metadata.uid, controller: true };
  const names = Object.keys(containers);
  await client.create(PODS, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace: "default",
      labels: { "job-name": metadata.name },
      ownerReferences: [owner],
    },
    spec: { nodeName: "node", containers: names.map((name) => ({ name, image: "busybox" })) },
  });
  const statuses = names.map((name) => ({
    name,
    image: "busybox",
    imageID: "",
    ready: false,
    restartCount: restarts,
    state: containers[name],
  }));
  const body = { status: { phase: "Running", containerStatuses: statuses } };
  await client.patch(PODS, { namespace: "default", name }, { type: "merge", body }, { subresource: "status" });
}

function logsOf(cluster: SeededCluster, ...args: string[]): Promise<Printed> {
  return cluster.run(addLogsCommand, "logs", "sync", ...args);
}

/** Lets time pass until it is so. */
async function pass({ clock }: SeededCluster, until: () => boolean): Promise<void> {
  while (!until()) {
    await clock.advance(1_000);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

const RUN: SeededCronJob = {
  name: "sync",
  api: BATCH,
  jobs: [{ at: "09:00", ended: "09:01", failed: true }, { at: "10:00" }],
};

test("logs of several Pods and containers name them", async () => {
  const logs = new Logs();
  await using cluster = await SeededCluster.start("10:20", [RUN], { podLogs: logs });
  await addPod(cluster, { name: "sync-a", containers: { main: ENDED, beside: RUNNING } });
  await addPod(cluster, { name: "sync-b", containers: { main: RUNNING } });
  assertEquals(
    (await logsOf(cluster)).stdout,
    "sync-a/main | main of a\nsync-a/beside | beside of a\nsync-b | main of b",
  );
  assertEquals((await logsOf(cluster, "--run", "30m ago")).exitCode, 0);
});

test("a log that the server refuses is reported in the server's words", async () => {
  const podLogs: PodLogSource = { open: () => Promise.reject(new PodLogError(400, "it is terminated")) };
  await using cluster = await SeededCluster.start("10:20", [RUN], { podLogs });
  await addPod(cluster, { name: "sync-a", containers: { main: ENDED } });
  const { stderr, exitCode } = await logsOf(cluster);
  assertEquals(stderr, "cronjob-controller: Cannot read the log of sync-a/main: it is terminated");
  assertEquals(exitCode, 1);
});

test("of a container that runs, an earlier start that failed says nothing", () => {
  const lastState = { terminated: { exitCode: 128, reason: "StartError", message: "no such program" } };
  const why = (state: object) => containersWithLogs(podWith({ state, lastState })).map(({ startError }) => startError);
  assertEquals(why({ running: {} }), [undefined]);
  assertEquals(why({ waiting: { reason: "CrashLoopBackOff" } }), ["no such program"]);
});

test("of a container that could not be started, why is said", async () => {
  const podLogs: PodLogSource = { open: () => Promise.reject(new PodLogError(400, "it is terminated")) };
  await using cluster = await SeededCluster.start("10:20", [RUN], { podLogs });
  const unstarted = { terminated: { exitCode: 128, reason: "StartError", message: 'exec: "nope": not found' } };
  await addPod(cluster, { name: "sync-a", containers: { main: unstarted } });
  const { stderr, exitCode } = await logsOf(cluster);
  const why = 'Container main of Pod sync-a could not be started: exec: "nope": not found';
  assertEquals([stderr, exitCode], [`cronjob-controller: ${why}`, 1]);
});

test("logs before a restart are those of containers that were started again", async () => {
  const logs = new Logs();
  await using cluster = await SeededCluster.start("10:20", [RUN], { podLogs: logs });
  await addPod(cluster, { name: "sync-a", containers: { main: RUNNING } });
  const message = "No container of the run sync-29552280 was started again: leave --previous out";
  await assertRejects(() => logsOf(cluster, "--previous"), Error, message);
  await addPod(cluster, { name: "sync-b", containers: { main: RUNNING }, restarts: 1 });
  assertEquals((await logsOf(cluster, "--previous")).stdout, "sync-b | main of b, before");
  assertEquals(logs.asked, ["sync-b/main before"]);
});

test("logs follow a run from Pod to Pod, also when one goes", async () => {
  const logs = new Logs();
  await using cluster = await SeededCluster.start("10:20", [RUN], { podLogs: logs });
  const { client } = cluster.api;
  const following = logsOf(cluster, "-f");
  const look = (until: () => boolean) => pass(cluster, until);
  await addPod(cluster, { name: "sync-a", containers: { main: RUNNING } });
  await look(() => logs.ends.has("sync-a"));
  await client.delete(PODS, { namespace: "default", name: "sync-a" }, { gracePeriodSeconds: 0 });
  logs.ends.get("sync-a")!();
  await addPod(cluster, { name: "sync-b", containers: { main: RUNNING } });
  await look(() => logs.ends.has("sync-b"));
  await client.delete(JOBS, { namespace: "default", name: "sync-29552280" });
  logs.ends.get("sync-b")!();
  let isOver = false;
  const printed = following.finally(() => isOver = true);
  await look(() => isOver);
  const { stdout, stderr, exitCode } = await printed;
  assertEquals([stdout, stderr, exitCode], ["main of a\nmain of b", "", 0]);
});

test("logs -f outlasts an API server that is away", async () => {
  const logs = new Logs();
  await using cluster = await SeededCluster.start("10:20", [RUN], { podLogs: logs });
  await addPod(cluster, { name: "sync-a", containers: { main: RUNNING } });
  let [isAway, refused] = [false, 0];
  await using front = startSlowFront(cluster.api.server, () => {
    if (!isAway) return undefined;
    refused++;
    return Promise.resolve(new Response("no leader", { status: 503 }));
  });
  await using folder = await temporaryFolder();
  const path = `${folder.path}/config`;
  const { token } = cluster.api.server;
  await Deno.writeTextFile(path, kubeconfig({ cluster: { server: front.url }, user: { token } }));
  let isOver = false;
  const printed = runCommand(
    (program) => addLogsCommand(program, cluster.clock),
    ...["logs", "sync", "-f", "--kubeconfig", path],
  ).finally(() => isOver = true);
  await pass(cluster, () => logs.ends.has("sync-a"));
  isAway = true;
  await pass(cluster, () => refused > 2 || isOver);
  isAway = false;
  await cluster.api.client.delete(JOBS, { namespace: "default", name: "sync-29552280" });
  logs.ends.get("sync-a")!();
  await pass(cluster, () => isOver);
  const { stdout, stderr, exitCode } = await printed;
  assertEquals([stdout, exitCode], ["main of a", 0]);
  assertMatch(
    stderr,
    /^cronjob-controller: Cannot list (jobs|pods) in default: no leader; asking again until there is an answer/,
  );
});

test("logs go on where the log of a container that is followed breaks off", async () => {
  const lines = ["one", "two", "three"].map((text, index) => `2026-03-10T10:00:0${index}.100000000Z ${text}\n`);
  const counts = [1, 2, 3];
  const asked: (number | undefined)[] = [];
  const podLogs: PodLogSource = {
    open: (_pod, { sinceTime }) => {
      asked.push(sinceTime);
      return Promise.resolve(new Blob(lines.slice(0, counts.shift())).stream());
    },
  };
  await using cluster = await SeededCluster.start("10:20", [RUN], { podLogs });
  await addPod(cluster, { name: "sync-a", containers: { main: RUNNING } });
  const following = logsOf(cluster, "-f");
  let isOver = false;
  const printed = following.finally(() => isOver = true);
  const look = (until: () => boolean) => pass(cluster, until);
  await look(() => counts.length === 0);
  await cluster.api.client.delete(JOBS, { namespace: "default", name: "sync-29552280" });
  await look(() => isOver);
  const { stdout, stderr, exitCode } = await printed;
  assertEquals([stdout, stderr, exitCode], ["one\ntwo\nthree", "", 0]);
  const seconds = asked.map((since) => since && since - Date.parse("2026-03-10T10:00:00Z"));
  assertEquals(seconds.slice(0, 4), [undefined, 0, 1_000, 2_000]);
});

test("a user who may not read logs reads so once, and nothing is asked for twice", async () => {
  await using ana = await startAna("default", ["jobs.batch", "pods.", "cronjobs.batch"], [RUN]);
  await addPod(ana.cluster, { name: "sync-a", containers: { main: RUNNING, beside: RUNNING } });
  const { stderr, exitCode } = await ana.runAll(addLogsCommand, "logs", "sync");
  assertEquals(stderr.split("\n").at(-1), "cronjob-controller: You may not read logs of Pods in namespace default");
  assertEquals(exitCode, 1);
  assertEquals(ana.forbidden, [
    "list leases.coordination.k8s.io in all",
    "get leases.coordination.k8s.io in cronjob-controller-system",
    "list cronjobs.batch.tutorial.kubebuilder.io in default",
    "get pods./log in default",
  ]);
});

const WRONG: readonly Refused[] = [
  ["--run sync-1", "sync has no Job sync-1: history limits may have deleted it"],
  [
    "--run newest",
    "--run must be last, failed, a Job's name, or a time such as 02:00, Mon 08:00, yesterday 02:00",
  ],
  ["--run '2026-03-10 11:00'", "sync has no run of Tue 2026-03-10 11:00 UTC with a Job yet: that time comes in 40m"],
  ["--run 08:30", "sync has no run of Tue 2026-03-10 08:30 UTC with a Job: its schedule does not name that time"],
  [
    "--run 08:00",
    "sync has no run of Tue 2026-03-10 08:00 UTC with a Job: explain sync --at 2026-03-10T08:00:00Z says why",
  ],
  ["", "The run sync-29552280 has no Pod whose output could be read"],
];

test("logs says in a sentence what it cannot do", async (context) => {
  await using cluster = await SeededCluster.start("10:20", [RUN]);
  await askForRefused(context, WRONG, (...args) => logsOf(cluster, ...args));
});

test("a Pod that waits says for what", () => {
  const waiting = { reason: "ImagePullBackOff", message: "not found" };
  assertEquals(waitOf(podWith({ state: { waiting } })), "Pod x has not started: ImagePullBackOff: not found");
  assertEquals(waitOf(podWith({ state: { waiting: { reason: "ContainerCreating" } } })), undefined);
  assertEquals(waitOf(podWith({ state: { running: {} } })), undefined);
});
