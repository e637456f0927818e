import { assertEquals } from "@std/assert";
import type { Container, PodSpec } from "kubernetes-types/core/v1";
import type { Pod } from "../../src/kube/resource.ts";
import { type ContainerHistory, decide, type Plan, type Run, type World } from "../../src/kubelet/decide.ts";
import { must } from "../support/expected.ts";
import { table } from "../support/table.ts";
import { test } from "../support/test.ts";

const NOW = 1_000_000;

function ended(
  exitCode: number,
  about: { restartCount?: number; backOffMs?: number; agoMs?: number; ranMs?: number } = {},
): Run {
  const { restartCount = 0, backOffMs = 0, agoMs = 0, ranMs = 1_000 } = about;
  const finishedAt = NOW - agoMs;
  const startedAt = finishedAt - ranMs;
  return { restartCount, backOffMs, startedAt, outcome: { exitCode, reason: "", startedAt, finishedAt } };
}

function running(restartCount = 0): Run {
  return { restartCount, backOffMs: 0, startedAt: NOW - 1_000 };
}

/** A field that our types have of sidecars alone. */
const OWN = { restartPolicy: "OnFailure" } as Partial<Container>;
const SIDECAR = { restartPolicy: "Always" } as Partial<Container>;

function world(
  spec: { policy?: string; init?: Record<string, Partial<Container>>; main?: string[] } & Partial<PodSpec>,
  runs: Record<string, Run | ContainerHistory>,
  more: Partial<World> & { deletionGracePeriodSeconds?: number } = {},
): World {
  const { policy = "Never", init = {}, main = ["main"], ...rest } = spec;
  const histories = Object.entries(runs).map(([name, run]) =>
    [name, "restartCount" in run ? { current: run } : run] as const
  );
  const pod = {
    metadata: { name: "p", namespace: "default", deletionGracePeriodSeconds: more.deletionGracePeriodSeconds },
    spec: {
      restartPolicy: policy,
      initContainers: Object.entries(init).map(([name, container]) => ({ name, ...container })),
      containers: main.map((name) => ({ name })),
      ...rest,
    },
  } as unknown as Pod;
  return { pod, histories: new Map(histories), now: NOW, startTime: NOW - 60_000, ...more };
}

function brief(plan: Plan) {
  return {
    phase: plan.phase,
    start: plan.starts.map(({ container, restartCount }) => `${container.name}/${restartCount}`),
    stop: plan.stops.map(({ name }) => name),
    over: plan.over,
    ...plan.wakeAt === undefined ? {} : { wakeInMs: plan.wakeAt - NOW },
  };
}

const TWO_INIT = { one: {}, two: {} };

const CASES: Record<string, [World, Partial<ReturnType<typeof brief>>]> = {
  "a new Pod starts all its containers at once": [
    world({ main: ["a", "b"] }, {}),
    { phase: "Pending", start: ["a/0", "b/0"] },
  ],
  "a running Pod is let be": [world({}, { main: running() }), { phase: "Running" }],
  "a Pod whose container succeeded has succeeded": [
    world({}, { main: ended(0) }),
    { phase: "Succeeded", over: true },
  ],
  "a Pod whose container failed has failed under Never": [
    world({}, { main: ended(1) }),
    { phase: "Failed", over: true },
  ],
  "a Pod goes on while one of its containers does": [
    world({ main: ["a", "b"] }, { a: ended(1), b: running() }),
    { phase: "Running" },
  ],
  "one failed container makes a failed Pod": [
    world({ main: ["a", "b"] }, { a: ended(1), b: ended(0) }),
    { phase: "Failed", over: true },
  ],
  "OnFailure restarts a first failure at once": [
    world({ policy: "OnFailure" }, { main: ended(1) }),
    { phase: "Running", start: ["main/1"] },
  ],
  "a container's own policy goes before the Pod's": [
    world({ containers: [{ name: "main", ...OWN }] }, { main: ended(1) }),
    { phase: "Running", start: ["main/1"] },
  ],
  "and leaves a success, too": [
    world({ containers: [{ name: "main", ...OWN }] }, { main: ended(0) }),
    { phase: "Succeeded", over: true },
  ],
  "OnFailure leaves a success": [
    world({ policy: "OnFailure" }, { main: ended(0) }),
    { phase: "Succeeded", over: true },
  ],
  "Always restarts a success too": [
    world({ policy: "Always" }, { main: ended(0) }),
    { phase: "Running", start: ["main/1"] },
  ],
  "a second failure is restarted after 10 s": [
    world({ policy: "OnFailure" }, { main: ended(1, { restartCount: 1, backOffMs: 10_000, agoMs: 4_000 }) }),
    { phase: "Running", wakeInMs: 6_000 },
  ],
  "and not later": [
    world({ policy: "OnFailure" }, { main: ended(1, { restartCount: 1, backOffMs: 10_000, agoMs: 10_000 }) }),
    { phase: "Running", start: ["main/2"] },
  ],
  "a long run makes failures before it forgotten": [
    world({ policy: "OnFailure" }, { main: ended(1, { restartCount: 7, backOffMs: 300_000, ranMs: 600_000 }) }),
    { phase: "Running", start: ["main/8"] },
  ],
  "init containers run one after the other": [
    world({ init: TWO_INIT }, {}),
    { phase: "Pending", start: ["one/0"] },
  ],
  "the second init container waits for the first": [
    world({ init: TWO_INIT }, { one: running() }),
    { phase: "Pending" },
  ],
  "the second follows the first": [
    world({ init: TWO_INIT }, { one: ended(0) }),
    { phase: "Pending", start: ["two/0"] },
  ],
  "the containers follow the last": [
    world({ init: TWO_INIT }, { one: ended(0), two: ended(0) }),
    { phase: "Pending", start: ["main/0"] },
  ],
  "a failed init container fails the Pod under Never": [
    world({ init: TWO_INIT }, { one: ended(1) }),
    { phase: "Failed", over: true },
  ],
  "a failed init container is tried again under OnFailure": [
    world({ init: TWO_INIT, policy: "OnFailure" }, { one: ended(1) }),
    { phase: "Pending", start: ["one/1"] },
  ],
  "an init container that succeeded is done under Always": [
    world({ init: TWO_INIT, policy: "Always" }, { one: ended(0) }),
    { phase: "Pending", start: ["two/0"] },
  ],
  "a sidecar starts and does not hold up the rest": [
    world({ init: { side: SIDECAR, one: {} } }, { side: running() }),
    { phase: "Pending", start: ["one/0"] },
  ],
  "a sidecar that ended is restarted whatever the policy": [
    world({ init: { side: SIDECAR } }, { side: ended(0), main: running() }),
    { phase: "Running", start: ["side/1"] },
  ],
  "a sidecar that ended before it was started for good holds up the rest": [
    world({ init: { side: SIDECAR } }, { side: ended(137) }),
    { phase: "Pending", start: ["side/1"] },
  ],
  "a sidecar ends with the containers": [
    world({ init: { side: SIDECAR } }, { side: running(), main: ended(0) }),
    { phase: "Running", stop: ["side"] },
  ],
  "a Pod is over with its sidecar, whose end doesn't count": [
    world({ init: { side: SIDECAR } }, { side: ended(143), main: ended(0) }),
    { phase: "Succeeded", over: true },
  ],
  "a deadline that has passed stops the Pod": [
    world({ activeDeadlineSeconds: 60 }, { main: running() }),
    { phase: "Running", stop: ["main"] },
  ],
  "a deadline to come is waited for": [
    world({ activeDeadlineSeconds: 90 }, { main: running() }),
    { phase: "Running", wakeInMs: 30_000 },
  ],
  "a Pod stopped by its deadline has failed, whatever its exit code": [
    world({ activeDeadlineSeconds: 60 }, { main: ended(0) }, { stop: { cause: "deadline", killAt: NOW } }),
    { phase: "Failed", over: true },
  ],
  "a deadline that passes after the work is nothing": [
    world({ activeDeadlineSeconds: 60 }, { main: ended(0) }),
    { phase: "Succeeded", over: true },
  ],
  "a deadline passes while a container waits for its next run": [
    world({ activeDeadlineSeconds: 60, policy: "OnFailure" }, {
      main: ended(1, { restartCount: 1, backOffMs: 10_000 }),
    }),
    { phase: "Failed", over: true },
  ],
  "a deleted Pod is stopped and restarts nothing": [
    world({ main: ["a", "b"], policy: "Always" }, { a: running(), b: ended(1) }, {
      stop: { cause: "deleted", killAt: NOW + 5_000 },
    }),
    { phase: "Running", stop: ["a"] },
  ],
  "a deleted Pod that never ran is over at once": [
    world({}, {}, { stop: { cause: "deleted", killAt: NOW } }),
    { phase: "Failed", over: true },
  ],
  "a deleted Pod whose containers ended well has succeeded": [
    world({ policy: "Always" }, { main: ended(0) }, { stop: { cause: "deleted", killAt: NOW } }),
    { phase: "Succeeded", over: true },
  ],
  "a stop of the program fails the Pod even if it ends well": [
    world({}, { main: ended(0) }, { stop: { cause: "shutdown", killAt: NOW } }),
    { phase: "Failed", over: true },
  ],
  "a Pod that cannot run here has failed": [
    world({}, {}, { refusal: { reason: "MissingCommand", message: "" } }),
    { phase: "Failed", over: true },
  ],
  "what cannot be started yet is tried again": [
    world({ main: ["a", "b"] }, {
      a: running(),
      b: { problem: { state: "ContainerCreating", message: "", retryAt: NOW + 2_000, delayMs: 2_000 } },
    }),
    { phase: "Running", wakeInMs: 2_000 },
  ],
};

table("decide()", Object.entries(CASES), ([given, wanted]) => {
  assertEquals(brief(decide(given)), { start: [], stop: [], over: false, phase: "Running", ...wanted });
});

test("decide() doubles the back-off from 10 s to 5 min", () => {
  let backOffMs = 0;
  const waits: number[] = [];
  for (let restartCount = 0; restartCount < 9; restartCount++) {
    waits.push(backOffMs);
    const agoMs = backOffMs;
    const plan = decide(world({ policy: "Always" }, { main: ended(1, { restartCount, backOffMs, agoMs }) }));
    backOffMs = must(plan.starts[0]).backOffMs;
  }
  assertEquals(waits.map((ms) => ms / 1000), [0, 10, 20, 40, 80, 160, 300, 300, 300]);
});

test("decide() kills what is left after the Pod's grace period", () => {
  const spec = { init: { side: SIDECAR }, terminationGracePeriodSeconds: 7 };
  assertEquals(decide(world(spec, { side: running(), main: ended(0) })).stops, [{ name: "side", killAt: NOW + 7_000 }]);
});

test("decide() takes a Pod for initialized once its containers have begun, also when its sidecars end", () => {
  const stop = { cause: "deleted", killAt: NOW } as const;
  const stopped = world({ init: { side: SIDECAR } }, { side: ended(143), main: running() }, { stop });
  assertEquals(decide(stopped).initialized, true);
});
