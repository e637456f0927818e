import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { OwnerReference } from "kubernetes-types/meta/v1";
import { CONFIG_MAPS, JOBS, LEASES, NODES, PODS, SECRETS } from "../../src/kube/resource.ts";
import { PodLogFiles } from "../../src/kubelet/pod_log_files.ts";
import { SystemClock } from "../../src/runtime/clock.ts";
import { atLeast, must } from "../support/expected.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";
import { testAlone } from "../support/test_alone.ts";
import { isRunning, NODE, pidIn, podOf, shell, startKubelet, TestKubelet, until } from "./support.ts";

test("Kubelet runs a Pod and says how it ended", async () => {
  await using kubelet = await startKubelet();
  await kubelet.create(podOf("good", shell("echo hello")));
  await kubelet.create(podOf("bad", shell("echo oh >&2; exit 3")));
  const good = await kubelet.finished("good");
  assertEquals(good.status?.phase, "Succeeded");
  assertEquals(kubelet.log(good), "hello\n");
  const conditions = Object.fromEntries(
    good.status!.conditions!.map(({ type, status, reason }) => [type, [status, reason]]),
  );
  assertEquals(conditions, {
    PodReadyToStartContainers: ["False", undefined],
    Initialized: ["True", "PodCompleted"],
    Ready: ["False", "PodCompleted"],
    ContainersReady: ["False", "PodCompleted"],
    PodScheduled: ["True", undefined],
  });
  assertEquals([good.status?.podIP, good.status?.hostIP], ["127.0.0.1", "127.0.0.1"]);
  assert(good.status?.startTime);

  const bad = await kubelet.finished("bad");
  assertEquals(bad.status?.phase, "Failed");
  const [status] = atLeast(1, bad.status!.containerStatuses!);
  assertEquals(status.state?.terminated?.exitCode, 3);
  assertEquals(status.state?.terminated?.reason, "Error");
  assertEquals(status.containerID, `process://${bad.metadata.uid}/main/0`);
  assertEquals([status.image, status.ready, status.started, status.restartCount], ["busybox", false, false, 0]);
  assertEquals(kubelet.output.map(({ pod, container, line }) => [pod.name, container, line]).sort(), [
    ["bad", "main", "oh"],
    ["good", "main", "hello"],
  ]);
});

test("Kubelet shows a container at work as running and ready", async () => {
  await using kubelet = await startKubelet({ stopGraceMs: 100 });
  await kubelet.create(podOf("server", shell("echo up; sleep 1000")));
  const pod = await kubelet.running("server");
  assertEquals(pod.status?.phase, "Running");
  const [{ ready, started, state }] = atLeast(1, pod.status!.containerStatuses!);
  assertEquals([ready, started], [true, true]);
  assertMatch(state!.running!.startedAt!, /^\d{4}-/);
  assertEquals(pod.status?.conditions?.find(({ type }) => type === "Ready")?.status, "True");
  await until(() => kubelet.output.length > 0);
  assertEquals(must(kubelet.output[0]).line, "up");
});

test("Kubelet costs a short Pod one status write", async () => {
  await using kubelet = await startKubelet();
  const requests: string[] = [];
  const { client } = kubelet.api;
  const counting = new Proxy(client, {
    get: (target, name) => (...args: unknown[]) => {
      if (["patch", "delete", "create"].includes(String(name))) {
        requests.push(`${String(name)} ${(args[0] as { plural: string }).plural}`);
      }
      return (target as unknown as Record<string | symbol, (...args: unknown[]) => unknown>)[name]!(...args);
    },
  });
  await kubelet.stop();
  // On a busy machine even `true` takes longer than a status waits for the next one: here that moment never ends.
  const clock = Object.assign(new SystemClock(), { schedule: (): Disposable => ({ [Symbol.dispose]() {} }) });
  await using second = new TestKubelet(kubelet.api, { client: counting, clock });
  await second.kubelet.ready();
  await kubelet.create(podOf("short", shell("true")));
  await kubelet.finished("short");
  assertEquals(requests.filter((each) => each.includes("pods")), ["patch pods"]);
});

test("Kubelet leaves Pods of other nodes alone", async () => {
  await using kubelet = await startKubelet();
  await kubelet.create(podOf("elsewhere", shell("true"), { nodeName: "other" }));
  await kubelet.create(podOf("scheduled-by-another", shell("true"), { nodeName: undefined, schedulerName: "mine" }));
  await kubelet.create(podOf("here", shell("true")));
  await kubelet.create(podOf("nowhere", shell("true"), { nodeName: undefined }));
  await kubelet.finished("here");
  await kubelet.finished("nowhere");
  assertEquals((await kubelet.get("elsewhere")).status?.phase, "Pending");
  assertEquals((await kubelet.get("scheduled-by-another")).status?.phase, "Pending");
});

test("Kubelet runs init containers first, then all containers", async () => {
  await using kubelet = await startKubelet();
  const note = (text: string) => shell(`echo ${text} >> $VOLUME_SHARED/order`).command;
  const volumeMounts = [{ name: "shared", mountPath: "/shared" }];
  await kubelet.create(podOf("ordered", {}, {
    initContainers: [
      { name: "one", image: "x", command: note("one"), volumeMounts },
      { name: "two", image: "x", command: note("two"), volumeMounts },
    ],
    containers: [
      { name: "a", image: "x", command: ["sh", "-c", "cat $VOLUME_SHARED/order"], volumeMounts },
      { name: "b", image: "x", command: ["cat", "$(VOLUME_SHARED)/order"], volumeMounts },
    ],
    volumes: [{ name: "shared", emptyDir: {} }],
  }));
  const pod = await kubelet.finished("ordered");
  assertEquals(pod.status?.phase, "Succeeded");
  assertEquals(kubelet.log(pod, { container: "a" }), "one\ntwo\n");
  assertEquals(kubelet.log(pod, { container: "b" }), "one\ntwo\n");
  assertEquals(pod.status?.initContainerStatuses?.map(({ name, ready }) => [name, ready]), [["one", true], [
    "two",
    true,
  ]]);
  const notice = kubelet.events.find(({ reason }) => reason === "NotMounted");
  assertStringIncludes(notice!.message, "/shared is at $VOLUME_SHARED");
});

test("Kubelet restarts a failed container under OnFailure, first at once, then after a while", async () => {
  await using kubelet = await startKubelet();
  await kubelet.create(podOf("again", shell("echo run; exit 5"), { restartPolicy: "OnFailure" }));
  const pod = await kubelet.until(
    "again",
    ({ status }) => status?.containerStatuses?.[0]?.state?.waiting?.reason === "CrashLoopBackOff",
  );
  const [status] = atLeast(1, pod.status!.containerStatuses!);
  assertEquals(pod.status?.phase, "Running");
  assertEquals(status.restartCount, 1);
  assertEquals(status.lastState?.terminated?.exitCode, 5);
  assertStringIncludes(
    status.state!.waiting!.message!,
    "back-off 10s restarting failed container=main pod=again_default",
  );
  assertEquals(kubelet.log(pod, { restartCount: 0 }), "run\n");
  assertEquals(kubelet.log(pod, { restartCount: 1 }), "run\n");
  assertEquals(kubelet.reasons(), ["BackOff"]);
});

test("Kubelet lets a deleted Pod end by itself, then lets go of it", async () => {
  await using kubelet = await startKubelet();
  const script = "trap 'echo bye; exit 0' TERM; echo up; sleep 1000 & wait";
  const { metadata: { uid } } = await kubelet.create(podOf("leaving", shell(script)));
  await until(() => kubelet.output.length > 0);
  await kubelet.client.delete(PODS, { name: "leaving", namespace: "default" });
  await kubelet.deleted("leaving");
  assertEquals(kubelet.output.map(({ line }) => line), ["up", "bye"]);
  assert(kubelet.reasons("Normal").includes("Killing"));
  await until(() => !exists(`${kubelet.dataDir}/pods/${uid}`));
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
  await until(() => !exists(`${kubelet.dataDir}/pods/${uid}`));
});

test("Kubelet fails a Pod at its deadline", async () => {
  await using kubelet = await startKubelet();
  await kubelet.create(podOf("late", shell("sleep 1000"), { activeDeadlineSeconds: 4 }));
  const pod = await kubelet.finished("late");
  assertEquals([pod.status?.phase, pod.status?.reason], ["Failed", "DeadlineExceeded"]);
  assertEquals(pod.status?.containerStatuses?.[0]?.state?.terminated?.exitCode, 143);
});

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
  const owners = new Map<string, OwnerReference>();
  for (const job of ["a", "b"]) {
    const { spec } = podOf(job, limited);
    const metadata = { name: job, namespace: "default" };
    const made = await kubelet.client.create(JOBS, {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata,
      spec: { template: { spec } },
    });
    const { uid } = made.metadata;
    owners.set(job, { apiVersion: "batch/v1", kind: "Job", name: job, uid, controller: true });
  }
  for (const [name, job] of [["a-1", "a"], ["a-2", "a"], ["b-1", "b"]] as const) {
    const pod = podOf(name, limited);
    const metadata = { ...pod.metadata, ownerReferences: [owners.get(job)!] };
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

testAlone(
  import.meta.url,
  "Kubelet gives a process nothing of its own surroundings but what scripts go by",
  async () => {
    Deno.env.set("CJC_SECRET_OF_OURS", "x");
    await using kubelet = await startKubelet();
    await kubelet.create(podOf("bare", { command: ["env"], env: [{ name: "GREETING", value: "hi" }] }));
    const names = kubelet.log(await kubelet.finished("bare")).trimEnd().split("\n").map((line) => line.split("=")[0]);
    const handedOn = ["USER", "LOGNAME", "SHELL", "LANG", "TZ"].filter((name) => Deno.env.get(name));
    const own = ["GREETING", "HOME", "HOSTNAME", "PATH", "TERMINATION_MESSAGE_PATH"];
    assertEquals(names.sort(), [...own, ...handedOn].sort());
  },
);

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

test("Kubelet lays out ConfigMaps, Secrets and fields as files", async () => {
  await using kubelet = await startKubelet();
  const metadata = { name: "files", namespace: "default" };
  await kubelet.client.create(CONFIG_MAPS, {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata,
    data: { a: "A\n", b: "B\n" },
  });
  await kubelet.client.create(
    SECRETS,
    { apiVersion: "v1", kind: "Secret", metadata, data: { key: btoa("S\n") } } as never,
  );
  const pod = podOf("reader", {
    ...shell("cd $VOLUME_ALL && cat conf/a b key name && ls -l key | cut -c1-10; cat $VOLUME_PART"),
    volumeMounts: [
      { name: "all", mountPath: "/all" },
      { name: "part", mountPath: "/part/b", subPath: "b" },
    ],
  }, {
    volumes: [
      {
        name: "all",
        projected: {
          sources: [
            { configMap: { name: "files", items: [{ key: "a", path: "conf/a" }, { key: "b", path: "b" }] } },
            { secret: { name: "files", items: [{ key: "key", path: "key", mode: 0o400 }] } },
            { downwardAPI: { items: [{ path: "name", fieldRef: { fieldPath: "metadata.name" } }] } },
          ],
        },
      },
      { name: "part", configMap: { name: "files" } },
    ],
  });
  await kubelet.create(pod);
  assertEquals(kubelet.log(await kubelet.finished("reader")), "A\nB\nS\nreader-r--------\nB\n");
});

test("Kubelet hands on a container's termination message", async () => {
  await using kubelet = await startKubelet();
  await kubelet.create(podOf("told", shell('echo -n because > "$TERMINATION_MESSAGE_PATH"; exit 1')));
  await kubelet.create(podOf("logged", {
    ...shell("echo the reason; exit 1"),
    terminationMessagePolicy: "FallbackToLogsOnError",
  }));
  const message = async (name: string) =>
    (await kubelet.finished(name)).status?.containerStatuses?.[0]?.state?.terminated?.message;
  assertEquals(await message("told"), "because");
  assertEquals(await message("logged"), "the reason\n");
});

test("Kubelet ends what runs when it is stopped, and fails those Pods", async () => {
  await using kubelet = await startKubelet({ stopGraceMs: 3_000 });
  await kubelet.create(podOf("polite", shell("echo up; sleep 1000")));
  await kubelet.create(podOf("stubborn", shell("trap '' TERM; echo up; sleep 1000; sleep 1000")));
  await kubelet.create(podOf("done", shell("echo up")));
  await until(() => kubelet.output.length === 3);
  await kubelet.finished("done");
  await kubelet.stop();
  for (const [name, exitCode] of [["polite", 143], ["stubborn", 137]] as const) {
    const { status } = await kubelet.get(name);
    assertEquals([status?.phase, status?.reason], ["Failed", "Terminated"], name);
    assertEquals(status?.containerStatuses?.[0]?.state?.terminated?.exitCode, exitCode);
    assertEquals(status?.conditions?.find(({ type }) => type === "DisruptionTarget")?.reason, "TerminationByKubelet");
  }
  assertEquals((await kubelet.get("done")).status?.phase, "Succeeded");
  const node = await kubelet.client.get(NODES, { name: "test-node" });
  assertEquals(node.status?.conditions?.map(({ type, status }) => [type, status]), [["Ready", "False"]]);
});

test("Kubelet leaves what runs to its next start where its options say so", async () => {
  await using first = await startKubelet({ onStop: "leave" });
  const script =
    `echo $$$$ > ${first.dataDir}/pid; echo up; while [ ! -e ${first.dataDir}/go ]; do sleep 0.02; done; exit 4`;
  await first.create(podOf("lasting", shell(script)));
  await first.running("lasting");
  const pid = await pidIn(`${first.dataDir}/pid`);
  await first.stop();
  assertEquals(isRunning(pid), true);
  assertEquals((await first.get("lasting")).status?.phase, "Running");
  assertEquals((await first.client.get(NODES, { name: "test-node" })).status?.conditions?.[0]?.status, "True");
  await using second = new TestKubelet(first.api);
  Deno.writeTextFileSync(`${first.dataDir}/go`, "");
  const { status } = await second.finished("lasting");
  assertEquals(status?.containerStatuses?.[0]?.state?.terminated?.exitCode, 4);
  assertEquals(status?.containerStatuses?.[0]?.restartCount, 0);
});

test("Kubelet cleans up after Pods that were deleted while it was away", async () => {
  await using kubelet = await startKubelet();
  const { metadata: { uid } } = await kubelet.create(podOf("gone", shell("true")));
  await kubelet.finished("gone");
  await kubelet.stop();
  assert(exists(`${kubelet.dataDir}/pods/${uid}`));
  await kubelet.client.delete(PODS, { name: "gone", namespace: "default" });
  await using second = new TestKubelet(kubelet.api);
  await until(() => !exists(`${second.dataDir}/pods/${uid}`));
});

test("Kubelet runs no more Pods at a time than it may", async () => {
  await using kubelet = await startKubelet({ maxPods: 1 });
  await kubelet.create(podOf("first", shell("while [ ! -e go ]; do sleep 0.02; done")));
  const { metadata: { uid } } = await kubelet.running("first");
  await kubelet.create(podOf("second", shell("true")));
  await until(() => kubelet.reasons().includes("FailedScheduling"));
  assertEquals((await kubelet.get("second")).status?.phase, "Pending");
  Deno.writeTextFileSync(`${kubelet.dataDir}/pods/${uid}/main/0.work/go`, "");
  await kubelet.finished("second");
});

function exists(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

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

test("Kubelet never changes a last phase, whatever it finds at the next start", async () => {
  await using kubelet = await startKubelet();
  await kubelet.create(podOf("late", shell("trap 'exit 0' TERM; sleep 1000 & wait"), { activeDeadlineSeconds: 1 }));
  const { status } = await kubelet.finished("late");
  assertEquals([status?.phase, status?.reason], ["Failed", "DeadlineExceeded"]);
  await kubelet.stop();
  await kubelet.client.patch(PODS, { name: "late", namespace: "default" }, {
    type: "merge",
    body: { metadata: { finalizers: ["example.com/hold"] } },
  });
  await kubelet.client.delete(PODS, { name: "late", namespace: "default" });
  await using second = new TestKubelet(kubelet.api);
  await second.create(podOf("marker", shell("true")));
  await second.finished("marker");
  const after = await second.get("late");
  assertEquals([after.status?.phase, after.status?.reason], ["Failed", "DeadlineExceeded"]);
});

test("Kubelet survives whatever a container makes of its termination message", async () => {
  await using kubelet = await startKubelet();
  await kubelet.create(podOf("directory", shell("mkdir $TERMINATION_MESSAGE_PATH")));
  await kubelet.create(podOf("pipe", shell("mkfifo $TERMINATION_MESSAGE_PATH")));
  for (const name of ["directory", "pipe"]) assertEquals((await kubelet.finished(name)).status?.phase, "Succeeded");
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

test("Kubelet binds no Pod while its node is cordoned, and says why", async () => {
  await using kubelet = await startKubelet({ stopGraceMs: 100 });
  const { client } = kubelet;
  const cordon = (unschedulable: boolean) =>
    client.patch(NODES, { name: NODE }, { type: "merge", body: { spec: { unschedulable } } });
  await until(() => client.get(NODES, { name: NODE }).then(() => true, () => false));
  await cordon(true);
  const tolerations = [{ key: "node.kubernetes.io/unschedulable", operator: "Exists" }];
  // The kubelet hears of its node and of Pods by watches apart: a Pod may be bound before it has seen the cordon.
  const firstCondition = async (name: string) => {
    await kubelet.create(podOf(name, shell("true"), { nodeName: undefined }));
    const { status } = await kubelet.until(name, ({ status }) => status?.conditions?.length);
    return atLeast(1, status!.conditions!)[0];
  };
  let cordoned = "cordoned";
  let condition = await firstCondition(cordoned);
  while (condition.reason !== "Unschedulable") condition = await firstCondition(cordoned += "-again");
  const why = "0/1 nodes are available: 1 node(s) were unschedulable";
  assertEquals([condition.type, condition.message], ["PodScheduled", why]);
  await kubelet.create(podOf("tolerant", shell("true"), { nodeName: undefined, tolerations }));
  await kubelet.finished("tolerant");
  assertEquals(kubelet.events.filter(({ reason }) => reason === "FailedScheduling").map((event) => event.message), [
    why,
  ]);
  await cordon(false);
  await kubelet.finished(cordoned);
});

test("Kubelet ends Pods that do not tolerate a NoExecute taint of its node, at once or after a while", async () => {
  await using kubelet = await startKubelet({ stopGraceMs: 100 });
  const { client } = kubelet;
  const work = shell("sleep 1000");
  const tolerating = (tolerationSeconds?: number) => ({
    terminationGracePeriodSeconds: 1,
    tolerations: [{ key: "gone", operator: "Exists", effect: "NoExecute", tolerationSeconds }],
  });
  await kubelet.create(podOf("intolerant", work, { terminationGracePeriodSeconds: 1 }));
  await kubelet.create(podOf("patient", work, tolerating(0)));
  await kubelet.create(podOf("tolerant", work, tolerating()));
  await Promise.all(["intolerant", "patient", "tolerant"].map((name) => kubelet.running(name)));
  const taints = [{ key: "gone", effect: "NoExecute" }];
  const keep = (finalizers: string[]) =>
    client.patch(PODS, { name: "intolerant", namespace: "default" }, {
      type: "merge",
      body: { metadata: { finalizers } },
    });
  await keep(["example.com/looked-at"]);
  await client.patch(NODES, { name: NODE }, { type: "merge", body: { spec: { taints } } });
  const marked = await kubelet.until("intolerant", ({ metadata }) => metadata.deletionTimestamp);
  const target = marked.status?.conditions?.find(({ type }) => type === "DisruptionTarget");
  assertEquals([target?.status, target?.reason], ["True", "DeletionByTaintManager"]);
  await keep([]);
  await Promise.all([kubelet.deleted("intolerant"), kubelet.deleted("patient")]);
  assertEquals((await kubelet.get("tolerant")).status?.phase, "Running");
});

test("Kubelet renews the lease of its node", async () => {
  const clock = new FakeClock();
  await using kubelet = await startKubelet({ clock });
  const lease = () => kubelet.client.get(LEASES, { name: NODE, namespace: "kube-node-lease" }).catch(() => undefined);
  const first = await until(async () => {
    const found = await lease();
    // Tried before the Node was there, it is tried again.
    if (!found) await clock.advance(10_000);
    return found;
  });
  assertEquals([first.spec?.holderIdentity, first.metadata.ownerReferences?.[0]?.kind], [NODE, "Node"]);
  await until(async () => {
    await clock.advance(10_000);
    return (await lease())?.spec?.renewTime !== first.spec?.renewTime;
  });
});
