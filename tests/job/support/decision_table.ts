import { isDeepStrictEqual } from "node:util";
import { assertEquals } from "@std/assert";
import type { JobCondition, JobStatus } from "kubernetes-types/batch/v1";
import { DEFAULT_BACKOFF, NO_FAILURES } from "../../../src/job/decision/backoff.ts";
import { decide } from "../../../src/job/decision/decide.ts";
import type { DecisionInput } from "../../../src/job/decision/input.ts";
import type { Plan, StatusNews } from "../../../src/job/decision/plan.ts";
import { INDEX_FAILURE_COUNT_ANNOTATION } from "../../../src/job/api/names.ts";
import { viewPod } from "../../../src/job/api/pod_view.ts";
import { formatTime } from "../../../src/base/epoch_ms.ts";
import { type Row, table as tableOf } from "../../support/table.ts";
import { type JobSpecPart, makeJob, makePod as pod, NOW, type PodPart } from "./objects.ts";
import { present } from "../../support/present.ts";
import type { Loose } from "../../../src/base/loose.ts";

interface World {
  spec?: JobSpecPart;
  status?: JobStatus;
  pods?: Record<string, PodPart>;
  job?: Partial<ReturnType<typeof makeJob>["metadata"]>;
  held?: boolean;
  statusHeld?: boolean;
  failures?: number[];
}

/** What a plan comes down to, short enough for a table; what is left out is not so. */
type Gist =
  /** `follows` has a name for each Pod, and "" for one that follows none. */
  | { create: number | number[]; follows?: string[]; again?: true }
  | { remove: string[]; afterCompletion?: true }
  | { stop: string[] }
  | { store: StatusGist; news?: readonly StatusNews[] }
  | { untrack: string[] }
  | { wait: number | undefined };

/** What a status says and did not say, apart from what goes without saying: {@linkcode plainStatus}. */
type StatusGist = Partial<Record<keyof JobStatus | "ends" | "verdict" | "suspended" | "foreign", unknown>>;

export const STARTED = { startTime: formatTime(NOW - 10_000) };
/** The status of a Job with so many Pods at work. */
export const running = (active: number, more: Loose<JobStatus> = {}) =>
  present<JobStatus>({
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

function gistOf(plan: Plan, world: World, wanted: Gist): Gist {
  const names = (views: readonly { pod: { metadata: { name: string } } }[]) =>
    views.map((view) => view.pod.metadata.name).sort();
  switch (plan.kind) {
    case "create": {
      const indexes = plan.pods.flatMap(({ index }) => index ?? []);
      const follows = plan.pods.map(({ follows }) => follows?.pod.metadata.name ?? "");
      const create = indexes.length === 0 ? plan.pods.length : indexes;
      return { create, ...follows.some((name) => name !== "") && { follows }, ...plan.again && { again: true } };
    }
    case "remove":
      return { remove: names(plan.pods), ...plan.afterCompletion && { afterCompletion: true } };
    case "stop":
      return { stop: names(plan.pods) };
    case "untrack":
      return { untrack: names(plan.pods) };
    case "wait":
      return { wait: plan.until === undefined ? undefined : plan.until - NOW };
    case "store": {
      const status = inShort(plan.status);
      const plain = plainStatus(world, status);
      const named = "store" in wanted ? wanted.store : {};
      const fields = Object.keys({ ...named, ...status, ...plain }) as (keyof StatusGist)[];
      const news = fields.filter((field) => field in named || !isDeepStrictEqual(status[field], plain[field]));
      return {
        store: Object.fromEntries(news.map((field) => [field, status[field]])),
        ...!isDeepStrictEqual(plan.news, plainNews(world, status)) && { news: plan.news },
      };
    }
  }
}

/** A status with its conditions by what they are about. */
function inShort({ conditions, ...status }: JobStatus): StatusGist {
  const find = (...types: string[]) => {
    const condition = conditions?.find(({ type }) => types.includes(type));
    return condition && `${condition.type}=${condition.status} ${condition.reason}`;
  };
  return {
    ...status,
    ends: find("Complete", "Failed"),
    verdict: find("SuccessCriteriaMet", "FailureTarget"),
    suspended: find("Suspended"),
    foreign: find("Mine"),
  };
}

/**
 * What goes without saying of the status that is stored: what it said before, how many Pods are at work, that the Job has
 * started, that its end was decided on for the same reason, and when it was complete.
 */
function plainStatus({ status = {}, pods = {} }: World, { ends }: StatusGist): StatusGist {
  const before = inShort(status);
  const [, type, reason] = /(\w+)=True (\w+)/.exec(`${ends}`) ?? [];
  const atWork = Object.values(pods).filter(({ phase = "Running" }) => phase === "Running" || phase === "Pending");
  const active = atWork.filter(({ deleting }) => !deleting);
  return {
    ...before,
    startTime: status.startTime ?? formatTime(NOW),
    active: active.length || undefined,
    ready: active.filter(({ ready }) => ready).length,
    terminating: atWork.length - active.length,
    uncountedTerminatedPods: status.uncountedTerminatedPods ?? {},
    ...reason && { verdict: `${type === "Complete" ? "SuccessCriteriaMet" : "FailureTarget"}=True ${reason}` },
    ...type === "Complete" && { completionTime: formatTime(NOW) },
  };
}

/** What is new goes without saying, too: it is what the conditions say. */
function plainNews({ status = {} }: World, { ends, suspended }: StatusGist): StatusNews[] {
  const before = inShort(status);
  return [
    ...(suspended === before.suspended ? [] : [`${suspended}`.includes("=True") ? "Suspended" : "Resumed"] as const),
    ...(ends === before.ends ? [] : [`${ends}`.startsWith("Complete") ? "Complete" : "Failed"] as const),
  ];
}

/** Declares a test for each row: what its world comes to. */
export function table(name: string, rows: readonly Row<[world: World, gist: Gist]>[]): void {
  tableOf(name, rows, (world, wanted) => assertEquals(gistOf(decideOn(world), world, wanted), wanted));
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
