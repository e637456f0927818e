import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import type { ApiServer } from "../../src/apiserver/server.ts";
import { PodSessions } from "../../src/kubelet/pod_sessions.ts";
import type { Pod } from "../../src/kube/resource.ts";
import { ApiError } from "../../src/kube/api_error.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { Kubectl } from "../support/kubectl.ts";
import { test } from "../support/test.ts";
import { isRunning, podOf, shell, TestKubelet, until } from "./support/test_kubelet.ts";

/** A kubelet whose containers clients can connect to, with one that waits. */
async function startWithWaitingPod() {
  await using stack = new AsyncDisposableStack();
  const podSessions = new PodSessions();
  const api = stack.use(await startTestApiServer({ podSessions }));
  const kubelet = stack.use(new TestKubelet(api, { sessions: podSessions }));
  const kubectl = stack.use(await Kubectl.create(api.server.kubeconfigPath));
  const env = [{ name: "GREETING", value: "it's" }, { name: "my.name", value: "a 'b' $HOME" }];
  await kubelet.create(podOf("waits", { ...shell("while :; do sleep 1; done"), env }));
  await kubelet.until("waits", ({ status }) => status?.phase === "Running");
  const used = stack.move();
  return { api, kubelet, kubectl, podSessions, [Symbol.asyncDispose]: () => used.disposeAsync() };
}

test("kubectl exec runs a command as the container's process runs: variables, directory, streams, exit code", async () => {
  await using world = await startWithWaitingPod();
  const { kubectl, kubelet } = world;
  const script =
    'tr a-z A-Z; echo "$GREETING"; pwd; echo err >&2; env -u PWD /usr/bin/env | grep -c "^my.name"; exit 3';
  const said = await kubectl.run(["exec", "-i", "waits", "--", "/bin/sh", "-c", script], { stdin: "in\n", codes: [3] });
  const [upper, greeting, directory] = said.stdout.split("\n");
  assertEquals([upper, greeting], ["IN", "it's"]);
  assertStringIncludes(directory!, `${kubelet.dataDir}/pods/`);
  assertEquals(said.stderr, "err\ncommand terminated with exit code 3\n");
  assertEquals(await kubectl.output(["exec", "waits", "--", "printenv", "my.name"]), "a 'b' $HOME");
  const { stderr } = await kubectl.run(["exec", "waits", "--", "no-such-program"], { codes: [1] });
  assertStringIncludes(stderr, 'exec: "no-such-program": executable file not found in $PATH');
  assertEquals(await kubectl.output(["auth", "can-i", "create", "pods/exec"]), "yes");
});

test("A command ends with its client, all that it has started too, and the container goes on", async () => {
  await using world = await startWithWaitingPod();
  const { kubectl, kubelet } = world;
  const process = kubectl.start(["exec", "waits", "--", "sh", "-c", "sleep 1000 & echo $! $$; wait"]);
  const reader = process.stdout.getReader();
  const { value } = await reader.read();
  const pids = new TextDecoder().decode(value).trim().split(" ").map(Number);
  assertEquals(pids.map((pid) => isRunning(pid)), [true, true]);
  process.kill("SIGKILL");
  await until(() => !pids.some((pid) => isRunning(pid)));
  assertEquals((await kubelet.get("waits")).status?.phase, "Running");
  await Promise.all([reader.cancel(), process.stdin.abort(), process.stderr.cancel(), process.status]);
});

test("A command has a terminal of its own, as large as its client's; its jobs end with it", async () => {
  await using world = await startWithWaitingPod();
  const { podSessions, kubelet } = world;
  const pod = (await kubelet.get("waits")).metadata;
  const script =
    'read line; until [ "$(stty size)" = "33 101" ]; do sleep 0.01; done; tty; set -m; sleep 1000 & echo $!; exit 4';
  const command = ["/bin/sh", "-c", script];
  const session = await podSessions.open({ pod, container: "main" }, { command, stdin: true, tty: true });
  session.resize({ width: 101, height: 33 });
  const writer = session.stdin!.getWriter();
  await writer.write(new TextEncoder().encode("typed\n"));
  const said = await new Response(session.stdout as ReadableStream<Uint8Array<ArrayBuffer>>).text();
  const [typed, terminal, job] = said.split("\r\n");
  assertEquals([typed, terminal!.startsWith("/dev/pts/")], ["typed", true]);
  assertEquals(await session.ended, 4);
  await until(() => !isRunning(Number(job)));
});

test("Clients that have left make room for others, while the container goes on", async () => {
  await using world = await startWithWaitingPod();
  const { podSessions, kubelet } = world;
  const pod = (await kubelet.get("waits")).metadata;
  for (let client = 1; client <= 65; client++) {
    const session = await podSessions.open({ pod, container: "main" }, { stdin: false, tty: false });
    session.end();
    await session.stdout.cancel();
    assertEquals(await session.ended, 0, `client ${client}`);
  }
  assertEquals((await kubelet.get("waits")).status?.phase, "Running");
});

test("kubectl run -i gives a process its input until the client's has ended, and shows what it says", async () => {
  await using world = await startWithWaitingPod();
  const { kubectl } = world;
  const args = ["run", "typed-to", "-i", "--rm", "--restart=Never", "--image=none", "--command", "--"];
  const script = "tr a-z A-Z; echo end; exit 3";
  const { stdout } = await kubectl.run([...args, "sh", "-c", script], { stdin: "typed\n", codes: [3] });
  assertStringIncludes(stdout, "TYPED\nend\n");
});

test("Input of a container outlives the program, and ends only for one that takes a single client", async () => {
  const podSessions = new PodSessions();
  await using api = await startTestApiServer();
  const first = new TestKubelet(api, { sessions: podSessions, onStop: "leave" });
  const echo = shell('echo begun; while read -r line; do echo "got $line"; done; echo over; sleep 0.3');
  const pods = await Promise.all([
    first.create(podOf("open", { ...echo, stdin: true })),
    first.create(podOf("once", { ...echo, stdin: true, stdinOnce: true })),
  ]);
  await Promise.all(pods.map(({ metadata: { name } }) => first.running(name)));
  const [open, once] = pods.map(({ metadata }) => ({ pod: metadata, container: "main" }));
  const attach = async (target: typeof open, line: string) => {
    const session = await podSessions.open(target!, { stdin: true, tty: false });
    const writer = session.stdin!.getWriter();
    await writer.write(new TextEncoder().encode(`${line}\n`));
    await writer.close();
    return session;
  };
  const inLog = (pod: Pod, text: string) => until(() => first.log(pod).includes(text));
  const one = await attach(open, "one");
  await inLog(pods[0]!, "got one");
  one.end();
  await first.stop();
  await using second = new TestKubelet(api, { sessions: podSessions });
  const two = await until(() => attach(open, "two").catch(() => undefined));
  await inLog(pods[0]!, "got two");
  two.end();
  assertEquals(second.log(pods[0]!).includes("over"), false);
  const session = await until(() => attach(once, "three").catch(() => undefined));
  const said = await new Response(session.stdout as ReadableStream<Uint8Array<ArrayBuffer>>).text();
  assertEquals([said.endsWith("got three\nover\n"), await session.ended], [true, 0]);
});

test("What cannot be connected is refused with the reason", async () => {
  await using world = await startWithWaitingPod();
  const { api: { server, client } } = world;
  const path = "/api/v1/namespaces/default/pods/waits/exec";
  const refused = async (query: string) =>
    (await assertRejects(() => client.raw(`${path}?${query}`), ApiError)).message;
  assertStringIncludes(await refused("stdout=1&command=ls"), "Upgrade request required");
  assertStringIncludes(await refused("command=ls"), "you must specify at least 1 of stdin, stdout, stderr");
  assertStringIncludes(await refused("stdout=1"), "you must specify at least one command for the container");
  assertStringIncludes(await refused("stdout=1&container=x"), "container x is not valid for pod waits");
  // As kubectl before 1.29 asks.
  const answer = await upgradeTo(server, "SPDY/3.1", `${path}?stdout=1&command=ls`);
  assertStringIncludes(answer, "400 Bad Request");
  assertStringIncludes(
    answer,
    "the server does not speak SPDY/3.1: use a client that speaks WebSocket, such as kubectl",
  );
  assertStringIncludes(
    await upgradeTo(server, "websocket", `${path}?stdout=1&command=ls`),
    "v5.channel.k8s.io and v4.",
  );
});

/** The answer to a request that `fetch` cannot send. */
async function upgradeTo({ url, caCertificate, token }: ApiServer, protocol: string, path: string): Promise<string> {
  using connection = await Deno.connectTls({
    hostname: "127.0.0.1",
    port: Number(new URL(url).port),
    caCerts: [caCertificate],
  });
  const lines = [`GET ${path} HTTP/1.1`, "Host: 127.0.0.1", "Connection: Upgrade", `Upgrade: ${protocol}`];
  const text = `${[...lines, `Authorization: Bearer ${token}`].join("\r\n")}\r\n\r\n`;
  await connection.write(new TextEncoder().encode(text));
  let answer = "";
  for await (const chunk of connection.readable) {
    answer += new TextDecoder().decode(chunk);
    if (answer.includes(`"code":400}`)) break;
  }
  return answer;
}
