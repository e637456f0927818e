import { assert } from "@std/assert";
import * as fc from "fast-check";
import { hasCondition } from "../../../src/job/api/conditions.ts";
import { IndexSet } from "../../../src/job/api/index_set.ts";
import type { DeepReadonly } from "../../../src/kube/object.ts";
import type { Job, Pod } from "../../../src/kube/resource.ts";
import { formatTime } from "../../../src/base/epoch_ms.ts";
import { must } from "../../support/expected.ts";
import { type JobSpecPart, makeJob } from "./objects.ts";
import { type Mishap, MISHAPS, SimulatedCluster } from "./simulated_cluster.ts";

/** One thing that happens. `pick` chooses a Pod. */
type Happening =
  | { what: "sync"; mishaps: Mishap[] }
  | { what: "see pods" | "see jobs"; count: number }
  | { what: "run" | "succeed" | "fail" | "delete" | "vanish"; pick: number; exitCode: number }
  | { what: "wait"; ms: number }
  | { what: "restart" | "suspend" | "resume" }
  | { what: "scale"; parallelism: number };

const mishaps = fc.array(fc.constantFrom(...MISHAPS), { maxLength: 8 });

const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ what: fc.constant("sync" as const), mishaps }) },
  {
    weight: 5,
    arbitrary: fc.record({ what: fc.constantFrom("see pods" as const, "see jobs" as const), count: fc.nat(5) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      what: fc.constantFrom("run" as const, "succeed" as const, "fail" as const, "delete" as const),
      pick: fc.nat(20),
      exitCode: fc.constantFrom(1, 2, 42),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ what: fc.constantFrom("vanish" as const), pick: fc.nat(20), exitCode: fc.nat(1) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ what: fc.constant("wait" as const), ms: fc.constantFrom(100, 1_000, 20_000, 700_000) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ what: fc.constantFrom("restart" as const, "suspend" as const, "resume" as const) }),
  },
  { weight: 2, arbitrary: fc.record({ what: fc.constant("scale" as const), parallelism: fc.nat(4) }) },
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
const failing: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 4, arbitrary: happening },
  {
    weight: 4,
    arbitrary: fc.record({ what: fc.constant("fail" as const), pick: fc.nat(20), exitCode: fc.constant(1) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ what: fc.constant("see pods" as const), count: fc.integer({ min: 1, max: 5 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      what: fc.constant("sync" as const),
      mishaps: fc.array(fc.constantFrom<Mishap>("ok", "seePods", "crashAfter"), { maxLength: 4 }),
    }),
  },
);

async function happen(cluster: SimulatedCluster, event: Happening): Promise<void> {
  switch (event.what) {
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
      if (!cluster.finished) cluster.changeJob((job) => job.spec!.suspend = event.what === "suspend");
      break;
    case "scale":
      cluster.audit.maxParallelism = Math.max(cluster.audit.maxParallelism, event.parallelism);
      if (!cluster.finished) cluster.changeJob((job) => job.spec!.parallelism = event.parallelism);
      break;
    default: {
      const pods = cluster.pods.filter(({ status }) => status?.phase === "Pending" || status?.phase === "Running");
      const pod = event.what === "vanish" ? cluster.pods[event.pick] : pods[event.pick % Math.max(1, pods.length)];
      if (!pod) return;
      if (event.what === "delete") cluster.deletePod(pod);
      else if (event.what === "vanish") cluster.vanish(pod);
      else if (event.what === "run") cluster.changePod(pod, (copy) => copy.status!.phase = "Running");
      else end(cluster, pod, event.what === "succeed" ? 0 : event.exitCode || 1);
    }
  }
}

function end(cluster: SimulatedCluster, pod: DeepReadonly<Pod>, exitCode: number): void {
  cluster.changePod(pod, (copy) => {
    const terminated = { exitCode, finishedAt: formatTime(cluster.time) };
    const status: Pod["status"] = {
      phase: exitCode === 0 ? "Succeeded" : "Failed",
      containerStatuses: [{
        name: "main",
        image: "",
        imageID: "",
        ready: false,
        restartCount: 0,
        state: { terminated },
      }],
    };
    Object.assign(copy, { status });
  });
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
  return liveThrough(spec, happening, count);
}

/** Lives through random histories in which indexes fail: those fail the Job, and no others are said to have failed. */
export function liveThroughFailures(count: number): Promise<void> {
  return liveThrough(failingSpec, failing, count);
}

async function liveThrough(
  spec: fc.Arbitrary<JobSpecPart>,
  happening: fc.Arbitrary<Happening>,
  count: number,
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(
      spec,
      fc.array(happening, { maxLength: 60 }),
      fc.array(fc.constantFrom(0, 0, 0, 1, 2, 42), { minLength: 1, maxLength: 5 }).filter((codes) => codes.includes(0)),
      live,
    ),
    { numRuns: count },
  );
}
