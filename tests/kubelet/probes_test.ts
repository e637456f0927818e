import { assertEquals, assertMatch } from "@std/assert";
import type { Container, Probe } from "kubernetes-types/core/v1";
import type { Pod } from "../../src/kube/resource.ts";
import { EngineContainers } from "../../src/kubelet/engine/engine_containers.ts";
import type { SessionRequest } from "../../src/kube/container_session.ts";
import { execIn } from "../../src/kubelet/exec_command.ts";
import { RunFiles } from "../../src/kubelet/files/run_files.ts";
import { look, type ProbeResult, unusableHandlers } from "../../src/kubelet/probe_checks.ts";
import { Probes } from "../../src/kubelet/probes.ts";
import { must } from "../support/expected.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";
import { refusal, startFakeEngine } from "./engine/support/fake_engine.ts";
import { podOf, shell, startKubelet, until } from "./support/test_kubelet.ts";
import { ownPort } from "../support/own_port.ts";

const probe = (name: string, more: object = {}) => ({ exec: { command: [name] }, periodSeconds: 1, ...more });

/** Probes of a container whose commands come to what `codes` says of them, and all that they report. */
function watch(container: Partial<Container>, codes: Record<string, number>, wasStarted = false) {
  const clock = new FakeClock();
  const said: string[] = [];
  const probes = new Probes({ name: "main", ...container }, {
    clock,
    wasStarted,
    means: { exec: ([name = ""]) => Promise.resolve({ code: must(codes[name]), output: `no ${name}` }) },
    onHealth: ({ started, ready }) => said.push(`${started ? "started" : "starting"} ${ready ? "ready" : "unready"}`),
    onTrouble: (name, result) => said.push(`${name}: ${result.said}`),
    onDead: (name, graceSeconds) => said.push(`${name} dead ${graceSeconds ?? ""}`.trim()),
  });
  return { clock, said, probes };
}

test("A container is started once its startup probe succeeds, and its other probes come after that", async () => {
  const codes = { up: 1, fit: 0, well: 0 };
  const { clock, said, probes } = watch({
    startupProbe: probe("up", { failureThreshold: 10 }),
    readinessProbe: probe("fit"),
    livenessProbe: probe("well"),
  }, codes);
  await clock.advance(1_500);
  assertEquals(said, ["starting unready", "Startup: no up", "Startup: no up"]);
  codes.up = 0;
  await clock.advance(2_000);
  assertEquals(said.slice(3), ["started unready", "started ready"]);
  probes[Symbol.dispose]();
});

test("A container is ready and unready as often in a row as its probe has it", async () => {
  const codes = { fit: 0 };
  const readinessProbe = probe("fit", { successThreshold: 2, failureThreshold: 2, initialDelaySeconds: 5 });
  const { clock, said, probes } = watch({ readinessProbe }, codes);
  await clock.advance(5_500);
  assertEquals(said, ["started unready"]);
  await clock.advance(1_000);
  assertEquals(said, ["started unready", "started ready"]);
  codes.fit = 1;
  await clock.advance(1_000);
  assertEquals(said.slice(2), ["Readiness: no fit"]);
  await clock.advance(1_000);
  assertEquals(said.slice(3), ["Readiness: no fit", "started unready"]);
  probes[Symbol.dispose]();
});

test("A command that the engine cannot run says nothing of a container", async () => {
  const clock = new FakeClock();
  const said = "container c is not running";
  await using engine = await startFakeEngine(clock, () => refusal(409, said));
  const containers = new EngineContainers({ api: engine.api, clock });
  const { metadata, ...rest } = podOf("p", {});
  const pod = { ...rest, metadata: { ...metadata, uid: "u" } } as unknown as Pod;
  const container = pod.spec!.containers[0]!;
  const run = { pod, container, files: new RunFiles(engine.folder, 0) };
  const { signal } = new AbortController();
  const open = (request: SessionRequest) => containers.open(run, request);
  const exec = (command: readonly string[], timeoutMs: number) =>
    execIn({ open }, command, { clock, timeoutMs, over: signal });
  const result = await look({ container, probe: probe("any"), means: { exec }, timeoutMs: 60_000, signal });
  assertEquals(result, { kind: "error", said });
});

test("A liveness probe that fails often enough ends the container once", async () => {
  const livenessProbe = probe("well", { failureThreshold: 2, terminationGracePeriodSeconds: 3 });
  const { clock, said } = watch({ livenessProbe }, { well: 1 });
  await clock.advance(60_000);
  assertEquals(said, ["started ready", "Liveness: no well", "Liveness: no well", "Liveness dead 3"]);
});

test("A startup probe that never succeeds ends the container; one that an earlier life saw is not asked again", async () => {
  const startupProbe = probe("up", { failureThreshold: 1 });
  const { clock, said } = watch({ startupProbe }, { up: 1 });
  await clock.advance(10_000);
  assertEquals(said, ["starting unready", "Startup: no up", "Startup dead"]);
  assertEquals(watch({ startupProbe }, { up: 1 }, true).said, ["started ready"]);
});

test("What cannot be carried out is named, and leaves the container as if it were not there", () => {
  const container: Container = {
    name: "main",
    startupProbe: probe("up"),
    readinessProbe: { httpGet: { port: 1 } },
    livenessProbe: { grpc: { port: 1 } },
  };
  assertEquals(unusableHandlers(container, "127.0.0.1"), ["livenessProbe.grpc"]);
  const overTls = { ...container, livenessProbe: { httpGet: { port: 1, scheme: "HTTPS" } } };
  assertEquals(unusableHandlers(overTls, "127.0.0.1"), ["livenessProbe.httpGet.scheme"]);
  const hooks = { postStart: { sleep: { seconds: 1 } }, preStop: { exec: { command: ["true"] } } };
  assertEquals(unusableHandlers({ name: "main", lifecycle: hooks }, "127.0.0.1"), [
    "lifecycle.postStart",
    "lifecycle.preStop",
  ]);
  assertEquals(unusableHandlers(container, undefined), [
    "readinessProbe.httpGet",
    "livenessProbe.grpc",
  ]);
  const readiness: Partial<Container> = { readinessProbe: { httpGet: { port: 1 } } };
  assertEquals(watch(readiness, {}).said, ["started ready"]);
});

const NO_COMMANDS = () => Promise.reject(new Error("not here"));

/** Looks once, at ports of this machine. */
async function once(probe: Probe, ports: Container["ports"] = [], signal = new AbortController().signal) {
  const container = { name: "main", ports };
  return await look({ container, probe, means: { host: "127.0.0.1", exec: NO_COMMANDS }, timeoutMs: 60_000, signal });
}

/** A server that answers paths with what they say: `/404`, `/302/where`, `/headers`. */
function server() {
  const serving = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, ({ url, headers }) => {
    const [, status = "", ...rest] = new URL(url).pathname.split("/");
    if (status === "headers") return new Response(null, { status: headers.get("x-wanted") === "a b" ? 200 : 500 });
    if (status === "host") return new Response(null, { status: headers.get("host") === "example.com" ? 200 : 500 });
    const location = decodeURIComponent(rest.join("/"));
    return new Response(null, { status: Number(status), headers: location ? { location } : {} });
  });
  return { port: serving.addr.port, [Symbol.asyncDispose]: () => serving.shutdown() };
}

test("An HTTP probe succeeds for 2xx and 3xx, without following a redirect", async () => {
  await using web = server();
  const { port } = web;
  const cases: readonly (readonly [path: string, expected: ProbeResult["kind"], said?: string])[] = [
    ["/200", "success"],
    ["204", "success"],
    ["/304", "success"],
    ["/302/%2F503", "success"],
    ["/404", "failure", "HTTP probe failed with statuscode: 404"],
    ["/headers", "success"],
    ["/host", "success"],
  ];
  const httpHeaders = [{ name: "X-Wanted", value: "a b" }, { name: "Host", value: "example.com" }];
  for (const [path, expected, said] of cases) {
    const result = await once({ httpGet: { port, path, httpHeaders } });
    assertEquals([path, result.kind, said ?? result.said], [path, expected, result.said]);
  }
  const broken = await once({ httpGet: { port, httpHeaders: [{ name: "X", value: "a\r\nHost: b" }] } });
  assertEquals(broken.kind, "failure");
  const ports = [{ name: "web", containerPort: port }];
  assertEquals((await once({ httpGet: { port: "web", path: "/200" } }, ports)).kind, "success");
});

test("A TCP probe succeeds where something listens; ports have names; what does not answer in time has failed", async () => {
  const port = ownPort();
  using listener = Deno.listen({ hostname: "127.0.0.1", port });
  assertEquals((await once({ tcpSocket: { port } })).kind, "success");
  assertEquals((await once({ tcpSocket: { port: "web" } }, [{ name: "web", containerPort: port }])).kind, "success");
  const unnamed = await once({ tcpSocket: { port: "web" } });
  assertEquals(unnamed, { kind: "error", said: "couldn't find port: web in ports of the container" });
  const time = new AbortController();
  const asked = once({ httpGet: { port } }, [], time.signal);
  using _accepted = await listener.accept();
  using _asking = await listener.accept();
  using _third = await listener.accept();
  time.abort();
  assertMatch((await asked).said, /^Get "http:.*no answer in time$/);
  listener.close();
  // A process that is being started by another test at this very moment still has the listener until it becomes its program.
  const refusal = await until(async () => {
    const result = await once({ tcpSocket: { port } });
    // A connection that came in before the listener closed is reset.
    return result.kind === "failure" && !result.said.includes("ECONNRESET") && result.said;
  });
  assertMatch(refusal, /ECONNREFUSED 127\.0\.0\.1:\d+$/);
});

test("A plain process is looked at on its own ports: one that does not listen is ended", async () => {
  await using kubelet = await startKubelet();
  await using web = server();
  const httpGet = { port: web.port, path: "/200" };
  const port = ownPort();
  using listener = Deno.listen({ hostname: "127.0.0.1", port });
  await kubelet.create(podOf("deaf", {
    ...shell("trap 'exit 9' TERM; while :; do sleep 0.05; done"),
    readinessProbe: { httpGet },
    livenessProbe: { tcpSocket: { port }, failureThreshold: 1, periodSeconds: 1 },
  }));
  await kubelet.until("deaf", ({ status }) => status?.containerStatuses?.[0]?.ready);
  listener.close();
  const { status } = await kubelet.finished("deaf");
  assertEquals(must(status!.containerStatuses![0]).state?.terminated?.exitCode, 9);
  const unhealthy = kubelet.events.filter(({ reason }) => reason === "Unhealthy").map(({ message }) => message);
  assertMatch(must(unhealthy[0]), /^Liveness probe failed: connect ECONNREFUSED 127\.0\.0\.1:\d+$/);
});
