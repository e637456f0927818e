import { assertEquals } from "@std/assert";
import type { JobCondition, JobStatus } from "kubernetes-types/batch/v1";
import { DEFAULT_BACKOFF, NO_FAILURES } from "../../../src/job/decision/backoff.ts";
import { decide } from "../../../src/job/decision/decide.ts";
import type { DecisionInput } from "../../../src/job/decision/input.ts";
import type { Plan } from "../../../src/job/decision/plan.ts";
import { INDEX_FAILURE_COUNT_ANNOTATION } from "../../../src/job/api/names.ts";
import { viewPod } from "../../../src/job/api/pod_view.ts";
import { formatTime } from "../../../src/schedule/epoch_ms.ts";
import { test } from "../../support/test.ts";
import { type JobSpecPart, makeJob, makePod as pod, NOW, type PodPart } from "./objects.ts";

interface World {
  spec?: JobSpecPart;
  status?: JobStatus;
  pods?: Record<string, PodPart>;
  job?: Partial<ReturnType<typeof makeJob>["metadata"]>;
  held?: boolean;
  statusHeld?: boolean;
  failures?: number[];
}

/** What a plan comes down to, short enough for a table. */
type Gist =
  | { create: number | number[]; counts?: string[] }
  | { remove: string[] }
  | { stop: string[] }
  | { store: Partial<Record<keyof JobStatus, unknown>> & { ends?: string; verdict?: string; suspended?: string } }
  | { untrack: string[] }
  | { wait: number | undefined };

export const STARTED = { startTime: formatTime(NOW - 10_000) };
/** The status of a Job with so many Pods at work. */
export const running = (active: number, more: JobStatus = {}): JobStatus => ({
  ...STARTED,
  active,
  ready: 0,
  terminating: 0,
  uncountedTerminatedPods: {},
  ...more,
});

export function decideOn({ spec, status, pods = {}, job, held, statusHeld, failures }: World): Plan {
  const world: DecisionInput = {
    job: makeJob(spec, status, job),
    pods: Object.entries(pods).map(([name, part]) => viewPod(pod(name, part))),
    failures: failures
      ? { lastSuccessAt: undefined, failures: new Map(failures.map((msAgo, i) => [`gone-${i}`, NOW - msAgo])) }
      : NO_FAILURES,
    backoff: DEFAULT_BACKOFF,
    now: NOW,
    podsHeld: held,
    statusHeldUntil: statusHeld ? NOW + 400 : undefined,
  };
  const before = structuredClone({ job: world.job, pods: world.pods });
  const plan = decide(world);
  assertEquals({ job: world.job, pods: world.pods }, before, "decide changes nothing");
  return plan;
}

function gistOf(plan: Plan, wanted: Gist): Gist {
  const names = (views: readonly { pod: { metadata: { name: string } } }[]) =>
    views.map((view) => view.pod.metadata.name).sort();
  switch (plan.kind) {
    case "create": {
      const indexes = plan.pods.map(({ index }) => index);
      const counts = plan.pods.map(({ follows }) => follows?.pod.metadata.name ?? "");
      const create = indexes[0] === undefined ? indexes.length : indexes as number[];
      return "create" in wanted && wanted.counts ? { create, counts } : { create };
    }
    case "remove":
      return { remove: names(plan.pods) };
    case "stop":
      return { stop: names(plan.pods) };
    case "untrack":
      return { untrack: names(plan.pods) };
    case "wait":
      return { wait: plan.until === undefined ? undefined : plan.until - NOW };
    case "store": {
      const { status } = plan;
      const find = (...types: string[]) => {
        const condition = status.conditions?.find(({ type }) => types.includes(type));
        return condition && `${condition.type}=${condition.status} ${condition.reason}`;
      };
      const all: Record<string, unknown> = {
        ...status,
        ends: find("Complete", "Failed"),
        verdict: find("SuccessCriteriaMet", "FailureTarget"),
        suspended: find("Suspended"),
      };
      // A table's row names what it is about.
      return {
        store: Object.fromEntries(Object.keys("store" in wanted ? wanted.store : all).map((key) => [key, all[key]])),
      };
    }
  }
}

/** Declares a test for each row. */
export function table(name: string, rows: Record<string, [world: World, gist: Gist]>): void {
  for (const [row, [world, wanted]] of Object.entries(rows)) {
    test(`${name}: ${row}`, () => assertEquals(gistOf(decideOn(world), wanted), wanted));
  }
}

/** A true condition. */
export const condition = (type: string, reason: string): JobCondition => ({
  type,
  status: "True",
  reason,
  message: "told",
});
export const done = (phase: "Succeeded" | "Failed", part: PodPart = {}): PodPart => ({ phase, ...part });

export const INDEXED: JobSpecPart = { completionMode: "Indexed", completions: 3, parallelism: 3 };
export const failures = (count: number) => ({ [INDEX_FAILURE_COUNT_ANNOTATION]: String(count) });
