import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import type { Pod } from "../../../src/kube/resource.ts";
import { ContainerConfigError } from "../../../src/kubelet/inputs/config_error.ts";
import { openRuntimes } from "../../../src/kubelet/open_runtimes.ts";
import { PodDirectory } from "../../../src/kubelet/files/pod_directory.ts";
import { RunFiles } from "../../../src/kubelet/files/run_files.ts";
import { sandboxName } from "../../../src/kubelet/engine/container_names.ts";
import { EngineContainers } from "../../../src/kubelet/engine/engine_containers.ts";
import { type ContainerRuntime, StartError, type StartOrder } from "../../../src/kubelet/runtime.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { test } from "../../support/test.ts";
import { podOf, until } from "../support/test_kubelet.ts";
import { type Call, type FakeEngine, refusal, startFakeEngine } from "./support/fake_engine.ts";

const NEVER = "0001-01-01T00:00:00Z";
const CREATED = { Status: "created", ExitCode: 0, OOMKilled: false, Pid: 0, StartedAt: NEVER, FinishedAt: NEVER };
const TIMES = { StartedAt: "2026-01-01T00:00:00Z", FinishedAt: "2026-01-01T00:00:01Z" };
const EXITED = { ...CREATED, ...TIMES, Status: "exited", ExitCode: 5 };

const LIST = "GET /containers/json";

interface World {
  readonly engine: FakeEngine;
  readonly runtime: ContainerRuntime;
  readonly order: StartOrder;
  readonly clock: FakeClock;
}

/**
 * A run that is to start by an engine whose answers to creations and starts are these; its container is in `state`, or that
 * is the answer.
 */
async function withEngine(
  answers: (call: Call) => Response | Promise<Response>,
  state: () => object | undefined,
  check: (world: World) => Promise<void>,
): Promise<void> {
  const clock = new FakeClock();
  await using engine = await startFakeEngine(clock, (call) => {
    if (call.what.startsWith("GET /images/")) return { Id: "sha" };
    if (call.what.endsWith("/json") && call.what !== LIST) {
      const found = state();
      return found instanceof Response ? found : found && { Id: "i", State: found };
    }
    if (call.what.startsWith("DELETE ")) return new Response(null, { status: 204 });
    return answers(call);
  });
  const { folder: dataDir, socket } = engine;
  const engineArgs = [`--url=unix://${socket}`];
  const parts = { clock, dataDir, event: () => {}, allowed: ["podman" as const], engineArgs };
  const runtimes = openRuntimes(parts);
  const pod = { ...podOf("p", {}), metadata: { name: "p", namespace: "default", uid: "u" } } as unknown as Pod;
  const directory = new PodDirectory(`${dataDir}/pods`, "u");
  directory.create(pod);
  const { runtime } = runtimes.choose(pod, directory);
  const container = pod.spec!.containers[0]!;
  const image = { id: "sha", user: "", stopSignal: "SIGTERM" };
  const order = { pod, container, files: directory.run("main", 0), env: {}, volumes: "/none", backOffMs: 0, image };
  try {
    await check({ engine, runtime, order, clock });
  } finally {
    await runtimes.close();
  }
}

function configErrorOf(start: Promise<unknown>): Promise<ContainerConfigError> {
  return assertRejects(() => start, ContainerConfigError);
}

const made = () => Response.json({ Id: "i" }, { status: 201 });

test("A run whose start the engine refuses has ended, and is removed", () =>
  withEngine(
    ({ what }) => what.endsWith("/create") ? made() : refusal(500, "executable file not found"),
    () => CREATED,
    async ({ engine, runtime, order }) => {
      await assertRejects(() => runtime.start(order), StartError, "executable file not found");
      assertEquals(engine.asked.at(-1), "DELETE /containers/cjc-u-main-0");
    },
  ));

test("A network that the engine cannot give is worth another try", () =>
  withEngine(
    ({ what }) => what.endsWith("/create") ? made() : refusal(500, "netavark: no address left"),
    () => CREATED,
    async ({ runtime, order }) => {
      const { message, state, reason } = await configErrorOf(runtime.start(order));
      assertEquals([state, reason], ["ContainerCreating", "FailedCreatePodSandBox"]);
      assertEquals(message, "Failed to create pod sandbox: netavark: no address left");
    },
  ));

test("A container of which docker has ended what its Pod shares is worth another try", () =>
  withEngine(
    ({ what }) => what.endsWith("/create") ? made() : refusal(409, "cannot join network of a non running container: 1"),
    () => CREATED,
    async ({ runtime, order }) => {
      const { message, state, reason } = await configErrorOf(runtime.start(order));
      assertEquals([state, reason], ["CreateContainerError", "Failed"]);
      assertStringIncludes(message, "join network");
    },
  ));

test("A start without an answer is tried again only if the container has not started", async () => {
  const never = Promise.withResolvers<Response>();
  const answers = ({ what }: Call) => what.endsWith("/create") ? made() : never.promise;
  const starts = (engine: FakeEngine) => engine.asked.filter((what) => what.endsWith("/start")).length;
  await withEngine(answers, () => CREATED, async ({ engine, runtime, order, clock }) => {
    const late = configErrorOf(runtime.start(order));
    await until(() => starts(engine) === 1);
    await clock.advance(240_000);
    const { message, state } = await late;
    assertEquals([message, state], ["podman took longer than 240 s", "CreateContainerError"]);
    assertEquals(await runtime.resume(order), undefined);
    never.resolve(made());
  });
  const later = Promise.withResolvers<Response>();
  const unanswered = ({ what }: Call) => what.endsWith("/create") ? made() : later.promise;
  await withEngine(unanswered, () => EXITED, async ({ engine, runtime, order, clock }) => {
    const started = runtime.start(order);
    await until(() => starts(engine) === 1);
    await clock.advance(240_000);
    assertEquals([(await (await started).ended).exitCode, starts(engine)], [5, 1]);
    later.resolve(made());
  });
});

test("A name that is taken by a container that never started is made free, for some tries", () =>
  withEngine(
    () => refusal(500, 'the container name "c" is already in use by 1'),
    () => undefined,
    async ({ engine, runtime, order }) => {
      const { message, state } = await configErrorOf(runtime.start(order));
      assertEquals(state, "CreateContainerError");
      assertStringIncludes(message, "is already in use");
      assertEquals(engine.asked.filter((what) => what.startsWith("DELETE")).length, 2);
    },
  ));

test("A container that podman was killed over is started by its name, and never twice", () => {
  // Its process waits for its start, or has got it: podman does not know which.
  let starts = 0;
  return withEngine(
    () => {
      starts++;
      return refusal(500, "container state improper");
    },
    () => starts === 0 ? { ...CREATED, Pid: Deno.pid } : EXITED,
    async ({ runtime, order }) => {
      Deno.mkdirSync(order.files.directory, { recursive: true });
      order.files.writeIntent({ attempt: "a", bootId: "", backOffMs: 0, startedAt: 0, runtime: "podman" });
      Deno.writeTextFileSync(order.files.launched, "");
      const found = await runtime.resume(order);
      assertEquals(found && "ended" in found && (await found.ended).exitCode, 5);
      assertEquals(starts, 1);
    },
  );
});

test("Containers of unknown Pods are removed later where the engine cannot do that now", async () => {
  const clock = new FakeClock();
  let tries = 0;
  await using engine = await startFakeEngine(clock, ({ what }) => {
    if (what.startsWith("DELETE")) return new Response(null, { status: 204 });
    if (++tries < 3) return refusal(500, "out of sorts");
    return Response.json([{ Names: ["/cjc-gone"], Labels: { "io.kubernetes.pod.uid": "gone" } }]);
  });
  const parts = { clock, dataDir: engine.folder, event: () => {} };
  const runtimes = openRuntimes({ ...parts, allowed: ["podman"], engineArgs: [`--url=unix://${engine.socket}`] });
  runtimes.removeStrangers(() => false);
  for (const [index, delayMs] of [1_000, 2_000].entries()) {
    await until(() => tries === index + 1 && clock.pending === 1);
    await clock.advance(delayMs);
  }
  await until(() => engine.asked.includes("DELETE /containers/cjc-gone"));
  await runtimes.close();
  assertEquals(clock.pending, 0);
});

test("A signal that the engine does not take does not hold up the end of the program", async () => {
  const clock = new FakeClock();
  await using engine = await startFakeEngine(
    clock,
    ({ what }) =>
      what.startsWith("GET ") ? { Id: "i", State: { ...CREATED, Status: "running" } } : refusal(500, "out of sorts"),
  );
  const pod = { ...podOf("p", {}), metadata: { name: "p", uid: "u" } } as unknown as Pod;
  const run = { pod, container: pod.spec!.containers[0]!, files: new RunFiles(engine.folder, 0) };
  const signalled = new EngineContainers({ api: engine.api, clock }).signal(run, "SIGTERM", () => false);
  await until(() => clock.pending === 1);
  await engine.api.close();
  await clock.advance(1_000);
  await signalled;
  assertEquals(clock.pending, 0);
});

test("A signal that the engine does not take is sent again each second", async () => {
  const clock = new FakeClock();
  let refusals = 5;
  await using engine = await startFakeEngine(clock, ({ what }) => {
    if (what.startsWith("GET ")) return { Id: "i", State: { ...CREATED, Status: "running" } };
    return refusals-- > 0 ? refusal(500, "out of sorts") : new Response(null, { status: 204 });
  });
  const pod = { ...podOf("p", {}), metadata: { name: "p", uid: "u" } } as unknown as Pod;
  const run = { pod, container: pod.spec!.containers[0]!, files: new RunFiles(engine.folder, 0) };
  const signalled = new EngineContainers({ api: engine.api, clock }).signal(run, "SIGKILL", () => false);
  for (let left = 4; left >= 0; left--) {
    await until(() => refusals === left && clock.pending === 1);
    await clock.advance(1_000);
  }
  await signalled;
});

test("The end of the program waits for a start that is under way, with all its requests", async () => {
  const [asked, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const answers = async ({ what }: Call) => {
    if (!what.endsWith("/create")) return new Response(null, { status: 204 });
    asked.resolve();
    await go.promise;
    return made();
  };
  await withEngine(answers, () => EXITED, async ({ runtime, order, engine }) => {
    const started = runtime.start(order);
    await asked.promise;
    const closed = runtime.close!();
    go.resolve();
    await started;
    await closed;
    assertEquals(engine.asked.filter((what) => what.endsWith("/start")).length, 1);
  });
});

test("The end of the program waits until what a Pod's containers shared is removed", async () => {
  const [asked, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const answers = async () => {
    asked.resolve();
    await go.promise;
    return Response.json([{ Names: [`/${sandboxName("u")}`], Labels: {} }]);
  };
  await withEngine(answers, () => EXITED, async ({ runtime, order: { pod, container }, engine }) => {
    const containers = [container, { ...container, name: "more" }];
    const over = runtime.podIsOver!({ ...pod, spec: { ...pod.spec!, containers } });
    await asked.promise;
    const closed = runtime.close!();
    go.resolve();
    await closed;
    await over;
    assertEquals(engine.asked.at(-1), `DELETE /containers/${sandboxName("u")}`);
  });
});

/** A Pod of two containers that run at a time. */
function shared(pod: Pod): Pod {
  const [container] = pod.spec!.containers;
  return { ...pod, spec: { ...pod.spec!, containers: [container!, { ...container!, name: "more" }] } };
}

test("What containers of a Pod share is made once, though all ask for it at the same time", async () => {
  let isMade = false;
  const answers = ({ what }: Call) => {
    if (what.endsWith("/create")) isMade = true;
    return what.endsWith("/create") ? made() : new Response(null, { status: 204 });
  };
  const state = () => isMade ? CREATED : undefined;
  await withEngine(answers, state, async ({ runtime, order, engine }) => {
    const pod = shared(order.pod);
    const { signal } = new AbortController();
    const prepared = pod.spec!.containers.map((container) => runtime.prepare({ ...order, pod, container }, "", signal));
    await Promise.all(prepared.map((each) => each.catch(() => {/* There is no image. */})));
    const ofSandbox = engine.asked.filter((what) => /rs\/(create|cjc-u)/.test(what));
    assertEquals(ofSandbox, [
      `GET /containers/cjc-u/json`,
      "POST /containers/create",
      `POST /containers/cjc-u/start`,
    ]);
  });
});

test("The name of what containers share is made free where podman was killed when it had no more of it", () =>
  withEngine(
    () => refusal(500, 'the container name "cjc-u" is already in use by 1'),
    () => undefined,
    async ({ engine, runtime, order }) => {
      const run = { ...order, pod: shared(order.pod) };
      const { reason } = await configErrorOf(runtime.prepare(run, "", new AbortController().signal));
      assertEquals([reason, engine.asked.at(-1)], ["FailedCreatePodSandBox", "DELETE /containers/cjc-u"]);
    },
  ));

test("A Pod is over though its engine is away: what its containers shared is removed later", async () => {
  let isAway = true;
  const answers = () => isAway ? refusal(500, "away") : Response.json([{ Names: ["/cjc-u"], Labels: {} }]);
  await withEngine(answers, () => undefined, async ({ engine, runtime, order, clock }) => {
    const over = runtime.podIsOver!(shared(order.pod));
    await until(() => clock.pending === 1);
    isAway = false;
    await clock.advance(1_000);
    await over;
    assertEquals(engine.asked.at(-1), "DELETE /containers/cjc-u");
  });
});

test("A container is waited for a minute after its kill while its engine is away", async () => {
  let isAway = false;
  const running = { ...CREATED, ...TIMES, Status: "running", FinishedAt: NEVER };
  const answers = ({ what }: Call) => what.endsWith("/create") ? made() : new Response(null, { status: 204 });
  await withEngine(answers, () => isAway ? refusal(500, "away") : running, async ({ runtime, order, clock }) => {
    const { ended, signal } = await runtime.start(order);
    isAway = true;
    signal("SIGKILL");
    let isOver = false;
    ended.then(() => isOver = true);
    const pass = async (ms: number) => {
      for (let passed = 0; passed < ms && !isOver; passed += 200) {
        await clock.advance(200);
        await new Promise((resolve) => setTimeout(resolve));
      }
    };
    await pass(55_000);
    assertEquals(isOver, false);
    await pass(20_000);
    assertEquals((await ended).reason, "ContainerStatusUnknown");
  });
});
