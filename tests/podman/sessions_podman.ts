import { assertEquals, assertStringIncludes } from "@std/assert";
import type { PodLogSource } from "../../src/apiserver/pod_logs.ts";
import type { KubeletOptions } from "../../src/kubelet/kubelet.ts";
import { PodLogFiles } from "../../src/kubelet/files/pod_log_files.ts";
import { PodSessions } from "../../src/kubelet/pod_sessions.ts";
import { SystemClock } from "../../src/base/clock.ts";
import { podOf, shell, TestKubelet, until } from "../kubelet/support/test_kubelet.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { Kubectl } from "../support/kubectl.ts";
import { test } from "../support/test.ts";
import { ENGINE, ENGINE_ARGS, IMAGE, importImage } from "./support/engine.ts";

await importImage();

/** An API server for kubelets whose containers clients can connect to. */
async function startWithSessions() {
  const stack = new AsyncDisposableStack();
  const sessions = new PodSessions();
  const logs = Promise.withResolvers<PodLogFiles>();
  const podLogs: PodLogSource = { open: async (pod, options) => (await logs.promise).open(pod, options) };
  const api = stack.use(await startTestApiServer({ podSessions: sessions, podLogs }));
  logs.resolve(new PodLogFiles({ dataDir: api.dataDir, clock: new SystemClock() }));
  const runtimes = { allowed: [ENGINE], engineArgs: ENGINE_ARGS, network: "none" };
  const start = (options: Partial<KubeletOptions> = {}) =>
    stack.use(new TestKubelet(api, { sessions, runtimes, stopGraceMs: 1_000, ...options }));
  const kubectl = new Kubectl(api.server.kubeconfigPath);
  return { start, kubectl, sessions, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

test(`kubectl exec runs a command in a container of ${ENGINE}, which ends with its client`, async () => {
  await using world = await startWithSessions();
  const { start, kubectl, sessions } = world;
  const kubelet = start();
  await kubelet.create(podOf("waits", { image: IMAGE, ...shell("while :; do sleep 1; done") }));
  await kubelet.running("waits");
  const script = "cat; hostname; echo err >&2; exit 3";
  const args = ["exec", "-i", "waits", "--", "sh", "-c", script];
  const { stdout, stderr } = await kubectl.run(args, { stdin: "in\n", codes: [3] });
  assertEquals([stdout, stderr], ["in\nwaits\n", "err\ncommand terminated with exit code 3\n"]);
  const codes = [ENGINE === "podman" ? 127 : 126];
  const unknown = await kubectl.run(["exec", "waits", "--", "no-such-program"], { codes });
  assertStringIncludes(unknown.stdout + unknown.stderr, "executable file not found in $PATH");

  const target = { pod: (await kubelet.get("waits")).metadata, container: "main" };
  const marker = `sleep 100${crypto.getRandomValues(new Uint16Array(1))[0]}`;
  const session = await sessions.open(target, { command: ["sh", "-c", marker], stdin: false, tty: true });
  await until(() => isRunning(marker));
  session.end();
  await until(async () => !await isRunning(marker));
  assertEquals((await kubelet.get("waits")).status?.phase, "Running");
});

test("A terminal of kubectl exec -t has its client's size, also after a change", async () => {
  await using world = await startWithSessions();
  const { start, sessions } = world;
  const kubelet = start();
  await kubelet.create(podOf("waits", { image: IMAGE, ...shell("while :; do sleep 1; done") }));
  await kubelet.running("waits");
  const target = { pod: (await kubelet.get("waits")).metadata, container: "main" };
  const command = ["sh", "-c", "while read -r _; do busybox stty size; done"];
  const session = await sessions.open(target, { command, stdin: true, tty: true });
  const input = session.stdin!.getWriter();
  let output = "";
  const read = session.stdout.pipeTo(
    new WritableStream({ write: (bytes) => void (output += new TextDecoder().decode(bytes)) }),
  );
  for (const [width, height] of [[101, 31], [55, 7]] as const) {
    session.resize({ width, height });
    await until(async () => {
      await input.write(new TextEncoder().encode("\n"));
      return output.includes(`${height} ${width}`);
    });
  }
  session.end();
  await Promise.allSettled([read, session.ended]);
});

/** Whether any process of the machine is `command`. */
async function isRunning(command: string): Promise<boolean> {
  const { stdout } = await new Deno.Command("ps", { args: ["-e", "-o", "args="] }).output();
  return new TextDecoder().decode(stdout).split("\n").includes(command);
}
