import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { CONFIG_MAPS, PODS, SECRETS } from "../../src/kube/resource.ts";
import { podOf, shell, until } from "../kubelet/support/test_kubelet.ts";
import { temporaryFolder } from "../support/program.ts";
import { test } from "../support/test.ts";
import {
  containersIn,
  endOf,
  ENGINE,
  engine,
  IMAGE,
  importImage,
  logOf,
  startEngineKubelet,
} from "./support/engine.ts";
import { CREATE, startEngineProxy } from "./support/engine_proxy.ts";

await importImage();

const image = IMAGE;

test(`${ENGINE} runs a Pod's image, and the Pod says how it ended`, async () => {
  await using kubelet = await startEngineKubelet();
  await kubelet.create(podOf("entry", { image }));
  await kubelet.create(podOf("args", { image, args: ["other", "$(HOW)"], env: [{ name: "HOW", value: "words" }] }));
  await kubelet.create(podOf("bad", { image, ...shell("echo out; echo err >&2; exit 3") }));
  const { status } = await kubelet.finished("entry");
  assertEquals(status?.phase, "Succeeded");
  assertEquals(await logOf(kubelet, "entry"), "entry word\n");
  await kubelet.finished("args");
  assertEquals(await logOf(kubelet, "args"), "entry other words\n");
  const { exitCode, reason, containerID } = await endOf(kubelet, "bad");
  const bad = await kubelet.get("bad");
  assertEquals([bad.status?.phase, exitCode, reason], ["Failed", 3, "Error"]);
  assertEquals(containerID, `${ENGINE}://cjc-${bad.metadata.uid}-main-0`);
  assertEquals((await logOf(kubelet, "bad")).split("\n").sort(), ["", "err", "out"]);
  assertEquals(kubelet.output.filter(({ pod }) => pod.name === "entry").map(({ line }) => line), ["entry word"]);
  await until(async () => (await containersIn(kubelet.dataDir)).length === 0);
});

test("A container gets its volumes where the manifest says, its environment, user and directory", async () => {
  await using kubelet = await startEngineKubelet();
  const metadata = (name: string) => ({ name, namespace: "default" });
  await kubelet.client.create(CONFIG_MAPS, {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: metadata("c"),
    data: { k: "v" },
  });
  await kubelet.client.create(SECRETS, {
    apiVersion: "v1",
    kind: "Secret",
    metadata: metadata("s"),
    data: { token: btoa("hush\n'\"") },
  });
  const volumes = [
    { name: "scratch", emptyDir: {} },
    { name: "all", configMap: { name: "c" } },
    { name: "hidden", secret: { secretName: "s" } },
  ];
  const script = 'id -u; id -g; echo $PWD; cat /all/k /hidden/token; echo; echo "$TOKEN"; hostname; ' +
    "echo x >/scratch/deep/file && cat /whole/sub/file; (echo x >/all/k) 2>/dev/null || echo read-only";
  await kubelet.create(podOf("rich", {
    image,
    ...shell(script),
    workingDir: "/etc",
    env: [{ name: "TOKEN", valueFrom: { secretKeyRef: { name: "s", key: "token" } } }],
    volumeMounts: [
      { name: "scratch", mountPath: "/scratch/deep", subPath: "sub" },
      { name: "scratch", mountPath: "/whole" },
      { name: "all", mountPath: "/all" },
      { name: "hidden", mountPath: "/hidden" },
    ],
    securityContext: { runAsUser: 1000, runAsGroup: 2000, runAsNonRoot: true },
  }, { volumes }));
  const { status } = await kubelet.finished("rich");
  const secret = "hush\n'\"";
  assertEquals(
    await logOf(kubelet, "rich"),
    `1000\n2000\n/etc\nv${secret}\n${secret}\nrich\nx\nread-only\n`,
  );
  assertEquals(status?.phase, "Succeeded");
});

test("Values of variables come whole, and stand in no process's arguments meanwhile", async () => {
  await using kubelet = await startEngineKubelet();
  const value = "hush $HOME\n\t\"'`\\ end\n";
  const seen: string[] = [];
  let watching = true;
  const watch = (async () => {
    for (; watching; await new Promise((resolve) => setTimeout(resolve, 1))) {
      for (const { name } of Deno.readDirSync("/proc")) {
        if (/^\d+$/.test(name)) seen.push(...argumentsOf(name).filter((words) => words.includes("hush")));
      }
    }
  })();
  const env = [{ name: "TOKEN", value }, { name: "my.name", value: "a 'b'" }, { name: "LAST", value: "plain" }];
  await kubelet.create(podOf("secret", { image, env, command: ["cat", "/proc/self/environ"] }));
  assertEquals((await kubelet.finished("secret")).status?.phase, "Succeeded");
  watching = false;
  await watch;
  const got = (await logOf(kubelet, "secret")).split("\0");
  assertEquals(env.filter(({ name, value }) => !got.includes(`${name}=${value}`)), []);
  assertEquals(seen, []);
});

function argumentsOf(pid: string): string[] {
  try {
    return [Deno.readTextFileSync(`/proc/${pid}/cmdline`)];
  } catch {
    // It has ended.
    return [];
  }
}

test("A container is held to its limits and its security context", async () => {
  await using kubelet = await startEngineKubelet();
  const limits = { memory: "32Mi", cpu: "500m" };
  await kubelet.create(podOf("hungry", { image, command: ["tail", "/dev/zero"], resources: { limits } }));
  const script = "(echo x >/file) 2>/dev/null || echo read-only; " +
    "cat /proc/self/status | busybox grep CapEff; cat /sys/fs/cgroup/memory/memory.limit_in_bytes";
  await kubelet.create(podOf("walled", {
    image,
    ...shell(script),
    resources: { limits },
    securityContext: { readOnlyRootFilesystem: true, capabilities: { drop: ["ALL"] }, allowPrivilegeEscalation: false },
  }));
  const { exitCode, reason } = await endOf(kubelet, "hungry");
  assertEquals([exitCode, reason], [137, "OOMKilled"]);
  // podman's monitor leaves a file of that name where podman is called.
  await assertRejects(() => Deno.stat("oom"), Deno.errors.NotFound);
  await kubelet.finished("walled");
  assertEquals(
    await logOf(kubelet, "walled"),
    `read-only\nCapEff:\t0000000000000000\n${32 * 1024 * 1024}\n`,
  );
});

test("Init containers and sidecars of a Pod come in order, share its network and its volumes", async () => {
  await using kubelet = await startEngineKubelet();
  const volumeMounts = [{ name: "v", mountPath: "/v" }];
  const serve = "echo up; trap 'exit 0' TERM; busybox nc -ll -p 8080 -e echo hello & wait";
  await kubelet.create(podOf("together", {
    image,
    volumeMounts,
    ...shell(
      "cat /v/first; for i in 1 2 3 4 5 6 7 8 9 10; do busybox nc 127.0.0.1 8080 && exit 0; sleep 0.2; done; exit 1",
    ),
  }, {
    initContainers: [
      { name: "first", image, volumeMounts, command: ["sh", "-c", "echo first >/v/first"] },
      { name: "side", image, restartPolicy: "Always", command: ["sh", "-c", serve] } as never,
    ],
    volumes: [{ name: "v", emptyDir: {} }],
    terminationGracePeriodSeconds: 2,
  }));
  const pod = await kubelet.finished("together");
  assertEquals(await logOf(kubelet, "together"), "first\nhello\n");
  assertEquals(pod.status?.phase, "Succeeded");
  await kubelet.client.delete(PODS, { name: "together", namespace: "default" });
  await until(async () => (await containersIn(kubelet.dataDir)).length === 0);
});

test("A termination message comes from where terminationMessagePath says, or from the log", async () => {
  await using kubelet = await startEngineKubelet();
  await kubelet.create(podOf("written", {
    image,
    ...shell("echo gone wrong >/tmp/last; exit 1"),
    terminationMessagePath: "/tmp/last",
  }));
  await kubelet.create(podOf("logged", {
    image,
    ...shell("echo from the log; exit 1"),
    terminationMessagePolicy: "FallbackToLogsOnError",
  }));
  assertEquals((await endOf(kubelet, "written")).message, "gone wrong\n");
  assertEquals((await endOf(kubelet, "logged")).message, "from the log\n");
});

test("What cannot be started says so as Kubernetes does", async () => {
  await using kubelet = await startEngineKubelet();
  await kubelet.create(podOf("nothing", { image, command: ["no-such-program"] }));
  await kubelet.create(podOf("never", { image: "localhost/none:1", imagePullPolicy: "Never", ...shell("true") }));
  await kubelet.create(podOf("pulled", { image: "localhost:1/none:1", ...shell("true") }));
  await kubelet.create(podOf("root", { image, ...shell("true"), securityContext: { runAsNonRoot: true } }));
  const waiting = (name: string, reason: string) =>
    kubelet.until(name, ({ status }) => status?.containerStatuses?.[0]?.state?.waiting?.reason === reason);
  const { exitCode, reason, message = "" } = await endOf(kubelet, "nothing");
  assertEquals([exitCode, reason], [128, "StartError"]);
  assertStringIncludes(message, 'exec: "no-such-program": executable file not found in $PATH');
  await waiting("never", "ErrImageNeverPull");
  await waiting("pulled", "ErrImagePull");
  await waiting("root", "CreateContainerConfigError");
  await until(async () => (await containersIn(kubelet.dataDir)).length === 0);
});

test("A pull is stopped when its Pod is deleted, or its time is up", async () => {
  // A registry that takes connections and never answers.
  using registry = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  await using kubelet = await startEngineKubelet();
  const slow = { image: `127.0.0.1:${registry.addr.port}/slow:1` };
  await kubelet.create(podOf("deleted", slow));
  await kubelet.create(podOf("late", slow, { activeDeadlineSeconds: 1 }));
  await until(() =>
    kubelet.events.some(({ regarding, reason }) => reason === "Pulling" && regarding.metadata.name === "deleted")
  );
  await kubelet.client.delete(PODS, { name: "deleted", namespace: "default" });
  await kubelet.deleted("deleted");
  assertEquals((await kubelet.finished("late")).status?.reason, "DeadlineExceeded");
});

test("What a Pod's containers share is tried again, as is a container that the engine cannot make", async () => {
  await using folder = await temporaryFolder();
  let isBroken = true;
  const refusal = () => Response.json({ message: "out of sorts" }, { status: 500 });
  await using proxy = await startEngineProxy(
    folder.path,
    ({ what }) => isBroken && what === CREATE ? refusal() : undefined,
  );
  await using kubelet = await startEngineKubelet({}, { engineArgs: proxy.args });
  const two = [{ name: "main", image, ...shell("true") }, { name: "more", image, ...shell("true") }];
  await kubelet.create(podOf("shares", {}, { containers: two }));
  await kubelet.create(podOf("alone", { image, ...shell("true") }));
  const waits = (name: string, wanted: string) =>
    kubelet.until(name, ({ status }) => status?.containerStatuses?.[0]?.state?.waiting?.reason === wanted);
  const said = (wanted: string) =>
    until(() => kubelet.events.find(({ reason, message }) => `${reason}: ${message}` === wanted));
  await waits("shares", "ContainerCreating");
  await said("FailedCreatePodSandBox: Failed to create pod sandbox: out of sorts");
  await waits("alone", "CreateContainerError");
  await said("Failed: Error: out of sorts");
  isBroken = false;
  for (const name of ["shares", "alone"]) assertEquals((await kubelet.finished(name)).status?.phase, "Succeeded");
  await until(async () => (await containersIn(kubelet.dataDir)).length === 0);
});

test("A container is asked to end, and killed after its grace period", async () => {
  await using kubelet = await startEngineKubelet();
  const script = "trap 'echo bye; exit 7' TERM; echo up; while :; do sleep 0.05; done";
  await kubelet.create(podOf("polite", { image, ...shell(script) }, { activeDeadlineSeconds: 2 }));
  await kubelet.create(podOf("deaf", { image, ...shell("trap '' TERM; echo up; while :; do sleep 0.05; done") }, {
    activeDeadlineSeconds: 2,
    terminationGracePeriodSeconds: 1,
  }));
  assertEquals((await endOf(kubelet, "polite")).exitCode, 7);
  assertEquals((await kubelet.get("polite")).status?.reason, "DeadlineExceeded");
  assertEquals(await logOf(kubelet, "polite"), "up\nbye\n");
  assertEquals((await endOf(kubelet, "deaf")).exitCode, 137);
});

test("A Pod gets paths of the machine only where the operator allows", async () => {
  const folder = await Deno.makeTempDir({ prefix: "host-path-" });
  Deno.writeTextFileSync(`${folder}/file`, "from the machine\n");
  Deno.symlinkSync("/etc", `${folder}/link`);
  await using kubelet = await startEngineKubelet({}, { hostPaths: [folder] });
  const mounting = (path: string) => ({ volumes: [{ name: "h", hostPath: { path } }] });
  const volumeMounts = [{ name: "h", mountPath: "/h" }];
  await kubelet.create(podOf("inside", { image, command: ["cat", "/h/file"], volumeMounts }, mounting(folder)));
  await kubelet.create(podOf("outside", { image, volumeMounts }, mounting("/etc")));
  await kubelet.create(podOf("linked", { image, volumeMounts }, mounting(`${folder}/link`)));
  await kubelet.finished("inside");
  assertEquals(await logOf(kubelet, "inside"), "from the machine\n");
  assertEquals((await kubelet.finished("outside")).status?.reason, "NotAllowed");
  await until(() =>
    kubelet.events.some(({ reason, message }) => reason === "FailedMount" && message.includes("leads to"))
  );
  await Deno.remove(folder, { recursive: true });
});

test("Commands of probes run in the container: one that fails ends it, and readiness is shown", async () => {
  await using kubelet = await startEngineKubelet();
  const script = "touch /tmp/up; trap 'exit 9' TERM; sleep 1; touch /tmp/fit; while [ -e /tmp/up ]; do sleep 0.1; done";
  const probe = (condition: string, failureThreshold = 30) => ({
    exec: { command: ["sh", "-c", `${condition} || { echo none; exit 1; }`] },
    periodSeconds: 1,
    timeoutSeconds: 60,
    failureThreshold,
  });
  await kubelet.create(podOf("probed", {
    image,
    ...shell(script),
    startupProbe: probe("test -e /tmp/up"),
    readinessProbe: probe("test -e /tmp/fit"),
    livenessProbe: probe("test ! -e /tmp/dead", 3),
  }));
  const readiness = ({ status }: Awaited<ReturnType<typeof kubelet.get>>) => status?.containerStatuses?.[0]?.ready;
  await kubelet.until("probed", readiness);
  const [name = ""] = await containersIn(kubelet.dataDir);
  await engine("exec", name, "touch", "/tmp/dead");
  assertEquals((await endOf(kubelet, "probed")).exitCode, 9);
  const unhealthy = kubelet.events.filter(({ reason }) => reason === "Unhealthy").map(({ message }) => message);
  assertEquals(unhealthy.includes("Liveness probe failed: none\n"), true, unhealthy.join());
  assertEquals(kubelet.reasons("Normal").includes("Killing"), true);
});

test("The command of a probe that takes too long is ended, with what it has started", async () => {
  await using kubelet = await startEngineKubelet();
  const command = ["sh", "-c", "sleep 4321 & sleep 4321"];
  await kubelet.create(podOf("slow", {
    image,
    ...shell("trap 'exit 0' TERM; while :; do sleep 0.1; done"),
    readinessProbe: { exec: { command }, timeoutSeconds: 1, periodSeconds: 60 },
  }));
  const sleeping = () =>
    [...Deno.readDirSync("/proc")].filter(({ name }) => argumentsOf(name)[0] === "sleep\x004321\0");
  await until(() => sleeping().length === 2);
  await until(() => kubelet.reasons().includes("Unhealthy"));
  assertEquals(sleeping(), []);
});

// podman leaves names of other hosts out in this network.
const aliases = ENGINE === "docker" ? "registry.example\n" : "";

test("Containers of a Pod share its host name, other hosts' names and, if it says so, processes", async () => {
  await using kubelet = await startEngineKubelet();
  const script = "hostname; busybox grep -o 'registry.example$' /etc/hosts; " +
    "for i in 1 2 3 4 5 6 7 8 9 10; do cat /proc/[0-9]*/cmdline | busybox grep -q sleep.[9]87 && break; sleep 0.2; done; " +
    "cat /proc/[0-9]*/cmdline | busybox grep -c sleep.[9]87";
  const spec = (shareProcessNamespace: boolean) => ({
    shareProcessNamespace,
    hostname: "one-name",
    hostAliases: [{ ip: "10.9.8.7", hostnames: ["registry.example"] }],
    initContainers: [{ name: "side", image, restartPolicy: "Always", command: ["sleep", "987"] } as never],
    terminationGracePeriodSeconds: 0,
  });
  await kubelet.create(podOf("shares", { image, ...shell(script) }, spec(true)));
  await kubelet.create(podOf("apart", { image, ...shell(`${script} || true`) }, spec(false)));
  for (const [name, seen] of [["shares", "1"], ["apart", "0"]] as const) {
    assertEquals((await kubelet.finished(name)).status?.phase, "Succeeded");
    assertEquals(await logOf(kubelet, name), `one-name\n${aliases}${seen}\n`);
  }
});
