import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import type { ApiServer } from "../../src/apiserver/server.ts";
import { PodSessions } from "../../src/kubelet/pod_sessions.ts";
import type { RunningContainer } from "../../src/kubelet/runtime.ts";
import type { ContainerSession } from "../../src/kube/container_session.ts";
import { ApiError } from "../../src/kube/api_error.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { Kubectl } from "../support/kubectl.ts";
import { must } from "../support/expected.ts";
import { temporaryFolder } from "../support/program.ts";
import { test } from "../support/test.ts";
import { isRunning, podOf, shell, TestKubelet, until } from "./support/test_kubelet.ts";

/** A kubelet whose containers clients can connect to, with one that waits. */
async function startWithWaitingPod() {
  await using stack = new AsyncDisposableStack();
  const podSessions = new PodSessions();
  const api = stack.use(await startTestApiServer({ podSessions }));
  const kubelet = stack.use(new TestKubelet(api, { sessions: podSessions }));
  const kubectl = new Kubectl(api.server.kubeconfigPath);
  const env = [{ name: "GREETING", value: "it's" }, { name: "my_name", value: "a 'b' $HOME" }];
  await kubelet.create(podOf("waits", { ...shell("while :; do sleep 1; done"), env }));
  await kubelet.until("waits", ({ status }) => status?.phase === "Running");
  const used = stack.move();
  return { api, kubelet, kubectl, podSessions, [Symbol.asyncDispose]: () => used.disposeAsync() };
}

test("kubectl exec runs a command as the container's process runs: variables, directory, streams, exit code", async () => {
  await using world = await startWithWaitingPod();
  const { kubectl, kubelet } = world;
  const script =
    'tr a-z A-Z; echo "$GREETING"; pwd; echo err >&2; env -u PWD /usr/bin/env | grep -c "^my_name"; exit 3';
  const said = await kubectl.run(["exec", "-i", "waits", "--", "/bin/sh", "-c", script], { stdin: "in\n", codes: [3] });
  const [upper, greeting, directory] = said.stdout.split("\n");
  assertEquals([upper, greeting], ["IN", "it's"]);
  assertStringIncludes(directory!, `${kubelet.dataDir}/pods/`);
  assertEquals(said.stderr, "err\ncommand terminated with exit code 3\n");
  assertEquals(await kubectl.output(["exec", "waits", "--", "printenv", "my_name"]), "a 'b' $HOME");
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

test("A command has the variables of a container that an earlier life of the program started", async () => {
  await using api = await startTestApiServer();
  const first = new TestKubelet(api, { onStop: "leave" });
  const env = [{ name: "GREETING", value: "it's" }, { name: "my_name", value: "a b" }];
  const { metadata: pod } = await first.create(podOf("stays", { ...shell("while :; do sleep 1; done"), env }));
  await first.running("stays");
  await first.stop();
  const sessions = new PodSessions();
  await using _second = new TestKubelet(api, { sessions });
  const request = { command: ["printenv", "GREETING", "my_name"], stdin: false, tty: false };
  const session = await until(() => sessions.open({ pod, container: "main" }, request).catch(() => undefined));
  const said = await new Response(session.stdout as ReadableStream<Uint8Array<ArrayBuffer>>).text();
  await session.stderr!.cancel();
  assertEquals([said, await session.ended], ["it's\na b\n", 0]);
});

test("Clients that attach or forward ports are refused with the remedy", async () => {
  await using world = await startWithWaitingPod();
  const { api: { client }, kubectl } = world;
  const rows: [subresource: string, args: string[], remedy: string][] = [
    ["attach", ["attach", "waits"], "use kubectl logs -f"],
    ["portforward", ["port-forward", "pod/waits", "0:80"], "connect to the port itself"],
  ];
  for (const [subresource, args, remedy] of rows) {
    const path = `/api/v1/namespaces/default/pods/waits/${subresource}`;
    const { status, message } = await assertRejects(() => client.raw(path), ApiError);
    assertEquals([status?.code, status?.reason], [501, "NotImplemented"]);
    assertStringIncludes(message, remedy);
    // Deno 2.9 refuses by itself the request with which kubectl then asks for SPDY, so its log is read.
    assertStringIncludes((await kubectl.run([...args, "-v=4"], { codes: [1] })).stderr, remedy);
  }
});

test("kubectl run -i shows the output and the exit code of a process, which has no input", async () => {
  await using world = await startWithWaitingPod();
  const { kubectl, kubelet } = world;
  const args = ["run", "typed-to", "-i", "--restart=Never", "--image=none", "--command", "--"];
  await kubectl.run([...args, "sh", "-c", "cat; exit 3"], { stdin: "typed\n", codes: [3] });
  const { spec } = await kubelet.finished("typed-to");
  assertEquals(must(spec!.containers[0]).stdin, true);
  const [ignored] = kubelet.events.filter(({ reason }) => reason === "Ignored");
  assertEquals(ignored?.message, 'Container "typed-to": stdin has no effect here');
});

test("kubectl cp copies a file into a container and back", async () => {
  await using folder = await temporaryFolder();
  await using world = await startWithWaitingPod();
  const { kubectl } = world;
  const [there, copy, back] = ["there", "copy", "back"].map((name) => `${folder.path}/${name}`);
  const content = crypto.getRandomValues(new Uint8Array(65_536));
  Deno.writeFileSync(there!, content);
  await kubectl.output(["cp", there!, `waits:${copy}`]);
  for (let time = 0; time < 5; time++) {
    await kubectl.output(["cp", `waits:${copy}`, back!]);
    assertEquals(Deno.readFileSync(back!), content);
  }
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

test("A command whose container ends while it is being started is ended", async () => {
  const sessions = new PodSessions();
  const opening = Promise.withResolvers<ContainerSession>();
  const running = { open: () => opening.promise } as unknown as RunningContainer;
  const offer = sessions.offer("u", "main", running);
  const request = { command: ["sleep"], stdin: false, tty: false };
  const opened = sessions.open({ pod: { uid: "u" }, container: "main" }, request);
  offer[Symbol.dispose]();
  let isEnded = false;
  opening.resolve({ ended: Promise.resolve(0), end: () => isEnded = true } as unknown as ContainerSession);
  await opened;
  assertEquals(isEnded, true);
});
