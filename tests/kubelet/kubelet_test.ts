import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { CONFIG_MAPS, SECRETS } from "../../src/kube/resource.ts";
import { SystemClock } from "../../src/base/clock.ts";
import { atLeast, must } from "../support/expected.ts";
import { test } from "../support/test.ts";
import { testAlone } from "../support/test_alone.ts";
import { podOf, shell, startKubelet, TestKubelet, until } from "./support/test_kubelet.ts";

const SPEED = 50;

/** A clock by which lengths of time pass fast. */
class FastClock extends SystemClock {
  override monotonic(): number {
    return super.monotonic() * SPEED;
  }

  override sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return super.sleep(delayMs / SPEED, signal);
  }
}

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
  assertEquals(status.containerID, `process://cjc-${bad.metadata.uid}-main-0`);
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

test("A container is started once, though another of its Pod cannot be, and it is long on its way then", async () => {
  await using kubelet = await startKubelet();
  const { client } = kubelet.api;
  await client.create(CONFIG_MAPS, {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "slow", namespace: "default" },
  });
  const go = Promise.withResolvers<void>();
  const asked: string[] = [];
  const get = async (...args: Parameters<typeof client.get>) => {
    const { name } = args[1];
    if (name === "slow" || name === "broken") asked.push(name);
    if (name === "slow") await go.promise;
    if (name === "broken" && asked.length < 3) throw new Error("a full disk");
    return await client.get(...args);
  };
  const slow = new Proxy(client, {
    get: (target, name) => name === "get" ? get : Reflect.get(target, name).bind?.(target) ?? Reflect.get(target, name),
  });
  await kubelet.stop();
  const clock = new FastClock();
  await using second = new TestKubelet(kubelet.api, { client: slow, clock });
  using _gone = { [Symbol.dispose]: () => go.resolve() };
  await second.kubelet.ready();
  const from = (name: string) => ({
    ...shell("echo run"),
    name,
    image: "x",
    envFrom: [{ configMapRef: { name, optional: true } }],
  });
  await kubelet.create(podOf("two", {}, { containers: [from("broken"), from("slow")] }));
  await until(() => asked.length >= 2);
  // Another try would come after two seconds of such a clock.
  await clock.sleep(10_000);
  assertEquals(asked.toSorted(), ["broken", "slow"]);
  go.resolve();
  const pod = await kubelet.finished("two");
  assertEquals(kubelet.log(pod, { container: "slow" }), "run\n");
});

test("Kubelet runs init containers first, then all containers", async () => {
  await using kubelet = await startKubelet();
  const note = (text: string) => shell(`echo ${text} >> $VOLUME_SHARED/order`);
  const volumeMounts = [{ name: "shared", mountPath: "/shared" }];
  await kubelet.create(podOf("ordered", {}, {
    initContainers: [
      { name: "one", image: "x", ...note("one"), volumeMounts },
      { name: "two", image: "x", ...note("two"), volumeMounts },
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
  assertEquals(kubelet.reasons(), []);
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

test("Kubelet lays out ConfigMaps and Secrets as files", async () => {
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
    ...shell(
      "cd $VOLUME_ALL && cat conf/a b && cd $VOLUME_HIDDEN && cat key && ls -l key | cut -c1-10; cat $VOLUME_PART",
    ),
    volumeMounts: [
      { name: "all", mountPath: "/all" },
      { name: "hidden", mountPath: "/hidden" },
      { name: "part", mountPath: "/part/b", subPath: "b" },
    ],
  }, {
    volumes: [
      {
        name: "all",
        configMap: { name: "files", items: [{ key: "a", path: "conf/a" }, { key: "b", path: "b" }] },
      },
      { name: "hidden", secret: { secretName: "files", items: [{ key: "key", path: "key", mode: 0o400 }] } },
      { name: "part", configMap: { name: "files" } },
    ],
  });
  await kubelet.create(pod);
  assertEquals(kubelet.log(await kubelet.finished("reader")), "A\nB\nS\n-r--------\nB\n");
});

test("Kubelet starts no container again that put a link in the place of its sub-directory, and says so", async () => {
  await using kubelet = await startKubelet();
  const pod = podOf("linking", {
    ...shell(
      'cd "${VOLUME_WORK%/*}"; [ -L data ] || { rmdir data; ln -s /no/where data; exit 1; }',
    ),
    volumeMounts: [{ name: "work", mountPath: "/work", subPath: "data" }],
  }, { restartPolicy: "OnFailure", volumes: [{ name: "work", emptyDir: {} }] });
  await kubelet.create(pod);
  const { status } = await kubelet.until("linking", ({ status }) => {
    return status?.containerStatuses?.[0]?.state?.waiting?.message?.includes('"data" is a symbolic link');
  });
  const [container] = status!.containerStatuses!;
  assertEquals(
    [container?.restartCount, container?.state?.waiting?.reason],
    [0, "CreateContainerConfigError"],
  );
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

test("Kubelet survives whatever a container makes of its termination message", async () => {
  await using kubelet = await startKubelet();
  await kubelet.create(podOf("directory", shell("mkdir $TERMINATION_MESSAGE_PATH")));
  await kubelet.create(podOf("pipe", shell("mkfifo $TERMINATION_MESSAGE_PATH")));
  for (const name of ["directory", "pipe"]) assertEquals((await kubelet.finished(name)).status?.phase, "Succeeded");
});
