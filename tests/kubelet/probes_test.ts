import { assertEquals } from "@std/assert";
import type { Container } from "kubernetes-types/core/v1";
import { openExec } from "../../src/kubelet/engine/exec_session.ts";
import type { SessionRequest } from "../../src/kube/container_session.ts";
import { execIn } from "../../src/kubelet/exec_command.ts";
import { type ProbeResult, Probes } from "../../src/kubelet/probes.ts";
import { must } from "../support/expected.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";
import { refusal, startFakeEngine } from "./engine/support/fake_engine.ts";

const probe = (name: string, more: object = {}) => ({ exec: { command: [name] }, periodSeconds: 1, ...more });

/** Probes of a container whose commands come to what `codes` says of them, and all that they report. */
function watch(container: Partial<Container>, codes: Record<string, number>, wasStarted = false) {
  const clock = new FakeClock();
  const said: string[] = [];
  const probes = new Probes({ name: "main", ...container }, {
    clock,
    wasStarted,
    exec: ([name = ""]) => Promise.resolve({ code: must(codes[name]), output: `no ${name}` }),
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
  const refused = "container c is not running";
  await using engine = await startFakeEngine(clock, () => refusal(409, refused));
  const over = new AbortController().signal;
  const open = (request: SessionRequest) => openExec({ api: engine.api, clock }, "c", request);
  const { promise: trouble, resolve } = Promise.withResolvers<ProbeResult>();
  using _probes = new Probes({ name: "main", livenessProbe: probe("any", { failureThreshold: 1 }) }, {
    clock,
    wasStarted: false,
    exec: (command, timeoutMs) => execIn({ open }, command, { clock, timeoutMs, over }),
    onHealth: () => {},
    onTrouble: (_, result) => resolve(result),
    onDead: () => assertEquals("dead", "alive"),
  });
  await clock.advance(0);
  assertEquals(await trouble, { kind: "error", said: refused });
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

test("A probe that is not by a command leaves the container as if it were not there", () => {
  const container: Partial<Container> = {
    startupProbe: { tcpSocket: { port: 1 } },
    readinessProbe: { httpGet: { port: 1 } },
    livenessProbe: { grpc: { port: 1 } },
  };
  assertEquals(watch(container, {}).said, ["started ready"]);
});
