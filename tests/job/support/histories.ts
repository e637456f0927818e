import { assert } from "@std/assert";
import * as fc from "fast-check";
import { hasCondition } from "../../../src/job/api/conditions.ts";
import { IndexSet } from "../../../src/job/api/index_set.ts";
import type { DeepReadonly } from "../../../src/kube/object.ts";
import type { Job, Pod } from "../../../src/kube/resource.ts";
import { must } from "../../support/expected.ts";
import { happening } from "../../support/happening.ts";
import { type JobSpecPart, makeJob, makePod, NOW } from "./objects.ts";
import { type Mishap, MISHAPS, SimulatedCluster } from "./simulated_cluster.ts";

/** One thing that happens. `pick` chooses a Pod. */
type Happening =
  | { do: "sync"; mishaps: Mishap[] }
  | { do: "see pods" | "see jobs"; count: number }
  | { do: "run" | "succeed" | "fail" | "delete" | "vanish"; pick: number; exitCode: number }
  | { do: "wait"; ms: number }
  | { do: "restart" | "suspend" | "resume" }
  | { do: "scale"; parallelism: number };

/** Any one of these, each as often as its weight says. */
function weighted(...choices: readonly [weight: number, arbitrary: fc.Arbitrary<Happening>][]) {
  return fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })));
}

const pick = fc.nat(20);

const anything: fc.Arbitrary<Happening> = weighted(
  [8, happening("sync", { mishaps: fc.array(fc.constantFrom(...MISHAPS), { maxLength: 8 }) })],
  [5, happening(["see pods", "see jobs"], { count: fc.nat(5) })],
  [6, happening(["run", "succeed", "fail", "delete"], { pick, exitCode: fc.constantFrom(1, 2, 42) })],
  [1, happening("vanish", { pick, exitCode: fc.nat(1) })],
  [2, happening("wait", { ms: fc.constantFrom(100, 1_000, 20_000, 700_000) })],
  [1, happening(["restart", "suspend", "resume"])],
  [2, happening("scale", { parallelism: fc.nat(4) })],
);

const policies: fc.Arbitrary<JobSpecPart> = fc.constantFrom<JobSpecPart[]>(
  {},
  { podReplacementPolicy: "Failed" },
  { activeDeadlineSeconds: 30 },
  {
    podFailurePolicy: {
      rules: [
        { action: "FailJob", onExitCodes: { operator: "In", values: [42] } },
        { action: "Ignore", onExitCodes: { operator: "In", values: [2] } },
      ],
    },
  },
);

const indexedPolicies: fc.Arbitrary<JobSpecPart> = fc.constantFrom<JobSpecPart[]>(
  {},
  { backoffLimitPerIndex: 1 },
  { backoffLimitPerIndex: 0, maxFailedIndexes: 1 },
  { backoffLimitPerIndex: 2, successPolicy: { rules: [{ succeededIndexes: "0-1", succeededCount: 1 }] } },
  { successPolicy: { rules: [{ succeededCount: 2 }] } },
  {
    backoffLimitPerIndex: 1,
    podFailurePolicy: { rules: [{ action: "FailIndex", onExitCodes: { operator: "In", values: [42] } }] },
  },
);

const spec: fc.Arbitrary<JobSpecPart> = fc.oneof(
  fc.tuple(
    fc.record({
      parallelism: fc.integer({ min: 1, max: 4 }),
      completions: fc.option(fc.integer({ min: 0, max: 5 }), { nil: undefined }),
      backoffLimit: fc.integer({ min: 0, max: 4 }),
    }),
    policies,
  ),
  fc.tuple(
    fc.record({
      parallelism: fc.integer({ min: 1, max: 4 }),
      completions: fc.integer({ min: 1, max: 5 }),
      completionMode: fc.constant("Indexed"),
    }),
    indexedPolicies,
    policies,
  ),
).map((parts) => Object.assign({}, ...parts.toReversed()));

/** Jobs that one or two failed indexes end while other Pods run. */
const failingSpec: fc.Arbitrary<JobSpecPart> = fc.record({
  parallelism: fc.integer({ min: 2, max: 5 }),
  completions: fc.constant(5),
  completionMode: fc.constant("Indexed"),
  backoffLimitPerIndex: fc.nat(1),
  maxFailedIndexes: fc.nat(1),
  podReplacementPolicy: fc.constantFrom("TerminatingOrFailed", "Failed"),
});

/** Pods that fail at any moment before, while and after the Job does. */
const failing: fc.Arbitrary<Happening> = weighted(
  [4, anything],
  [4, happening("fail", { pick, exitCode: fc.constant(1) })],
  [3, happening("see pods", { count: fc.integer({ min: 1, max: 5 }) })],
  [
    3,
    happening("sync", { mishaps: fc.array(fc.constantFrom<Mishap>("ok", "seePods", "crashAfter"), { maxLength: 4 }) }),
  ],
);

async function happen(cluster: SimulatedCluster, event: Happening): Promise<void> {
  switch (event.do) {
    case "sync":
      cluster.mishaps = [...event.mishaps];
      await cluster.sync();
      cluster.mishaps = [];
      break;
    case "see pods":
      return cluster.deliver("pods", event.count);
    case "see jobs":
      return cluster.deliver("jobs", event.count);
    case "wait":
      cluster.time += event.ms;
      break;
    case "restart":
      return cluster.restart();
    case "suspend":
    case "resume":
      if (!cluster.finished) cluster.changeJob((job) => job.spec!.suspend = event.do === "suspend");
      break;
    case "scale":
      cluster.audit.maxParallelism = Math.max(cluster.audit.maxParallelism, event.parallelism);
      if (!cluster.finished) cluster.changeJob((job) => job.spec!.parallelism = event.parallelism);
      break;
    default: {
      const pods = cluster.pods.filter(({ status }) => status?.phase === "Pending" || status?.phase === "Running");
      const pod = event.do === "vanish" ? cluster.pods[event.pick] : pods[event.pick % Math.max(1, pods.length)];
      if (!pod) return;
      if (event.do === "delete") cluster.deletePod(pod);
      else if (event.do === "vanish") cluster.vanish(pod);
      else if (event.do === "run") cluster.changePod(pod, (copy) => copy.status!.phase = "Running");
      else end(cluster, pod, event.do === "succeed" ? 0 : event.exitCode || 1);
    }
  }
}

function end(cluster: SimulatedCluster, pod: DeepReadonly<Pod>, exitCode: number): void {
  const phase = exitCode === 0 ? "Succeeded" : "Failed";
  const { status } = makePod("ended", { phase, exitCode, endedMsAgo: NOW - cluster.time });
  cluster.changePod(pod, (copy) => void Object.assign(copy, { status }));
}

/** Nothing goes wrong any more: the Job comes to its end. */
async function settle(cluster: SimulatedCluster, exitCodes: readonly number[]): Promise<void> {
  cluster.audit.maxParallelism = Math.max(cluster.audit.maxParallelism, cluster.job.spec?.parallelism ?? 1, 1);
  cluster.changeJob((job) => {
    job.spec!.suspend = false;
    if (job.spec!.parallelism === 0) job.spec!.parallelism = 1;
  });
  let ended = 0;
  for (let round = 0; round < 100; round++) {
    cluster.deliver("jobs");
    cluster.deliver("pods");
    const due = await cluster.sync();
    cluster.deliver("jobs");
    cluster.deliver("pods");
    const running = cluster.pods.filter(({ status }) => status?.phase === "Pending" || status?.phase === "Running");
    const tracked = cluster.pods.some(({ metadata }) => (metadata.finalizers ?? []).length > 0);
    if (cluster.finished && running.length === 0 && !tracked) return;
    for (const pod of running) end(cluster, pod, must(exitCodes[ended++ % exitCodes.length]));
    cluster.time = Math.max(cluster.time + 1_000, due ?? 0);
  }
  throw new Error(
    `The Job does not end: ${JSON.stringify({ status: cluster.job.status, pods: cluster.pods }, null, 0)}`,
  );
}

/** Whether the Job ended as its own numbers say that it had to. */
function assertRightEnd(job: DeepReadonly<Job>, vanished: boolean): void {
  const { status = {}, spec = {} as NonNullable<Job["spec"]> } = job;
  const reason = status.conditions?.find(({ type }) => type === "Complete" || type === "Failed")?.reason;
  const failedIndexes = IndexSet.parse(status.failedIndexes, spec.completions ?? 0);
  switch (reason) {
    case "CompletionsReached":
      assert(hasCondition(job, "Complete"));
      if (spec.completions !== undefined && !vanished) assert((status.succeeded ?? 0) >= spec.completions);
      break;
    case "SuccessPolicy":
      assert(hasCondition(job, "Complete") && (status.succeeded ?? 0) > 0);
      break;
    case "BackoffLimitExceeded":
      assert(hasCondition(job, "Failed"));
      if (!vanished) assert((status.failed ?? 0) > (spec.backoffLimit ?? 6));
      break;
    case "FailedIndexes":
      assert(failedIndexes.size > 0 && failedIndexes.size + (status.succeeded ?? 0) >= (spec.completions ?? 0));
      break;
    case "MaxFailedIndexesExceeded":
      assert(failedIndexes.size > (spec.maxFailedIndexes ?? Infinity));
      break;
    case "DeadlineExceeded":
      assert(hasCondition(job, "Failed") && spec.activeDeadlineSeconds !== undefined);
      break;
    case "PodFailurePolicy":
      assert(hasCondition(job, "Failed") && spec.podFailurePolicy !== undefined);
      break;
    default:
      throw new Error(`Ended with reason ${reason}`);
  }
}

async function live(spec: JobSpecPart, history: readonly Happening[], exitCodes: readonly number[]): Promise<void> {
  const cluster = new SimulatedCluster(makeJob(spec));
  for (const event of history) await happen(cluster, event);
  await settle(cluster, exitCodes);
  cluster.audit.finished(cluster.job);
  assertRightEnd(cluster.job, cluster.audit.anyVanished);
}

/** Lives through random histories of a Job: whatever happens, each Pod is counted once and the Job ends rightly. */
export function liveThroughHistories(count: number): Promise<void> {
  return liveThrough(spec, anything, count);
}

/** Lives through random histories in which indexes fail: those fail the Job, and no others are said to have failed. */
export function liveThroughFailures(count: number): Promise<void> {
  return liveThrough(failingSpec, failing, count);
}

async function liveThrough(
  spec: fc.Arbitrary<JobSpecPart>,
  event: fc.Arbitrary<Happening>,
  count: number,
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(
      spec,
      fc.array(event, { maxLength: 60 }),
      fc.array(fc.constantFrom(0, 0, 0, 1, 2, 42), { minLength: 1, maxLength: 5 }).filter((codes) => codes.includes(0)),
      live,
    ),
    { numRuns: count },
  );
}
