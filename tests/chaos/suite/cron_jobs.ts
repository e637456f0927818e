import { MANAGED, NAME_HOLD } from "../../../src/cronjob/api/annotations.ts";
import { BATCH, type Flavour, TUTORIAL } from "../../../src/cronjob/api/flavour.ts";
import type { CronJobObject } from "../../../src/cronjob/api/types.ts";
import { must } from "../../support/expected.ts";

/** What ends a Job: the suite says that it is complete, or deletes it; or its Pods end, which a kubelet runs. */
export type JobEnd = { readonly by: "completion" | "deletion"; readonly afterMs: number } | { readonly by: "its Pods" };

/** A CronJob whose every slot is judged. */
export interface CronJobPlan {
  readonly flavour: "tutorial" | "batch";
  readonly namespace: string;
  readonly name: string;
  readonly everySeconds: number;
  readonly spec: Partial<CronJobObject["spec"]>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** No slot of it may ever have two Jobs, at whatever moment one is deleted or a process dies. */
  readonly neverTwice?: boolean;
  readonly end: JobEnd;
}

/** Faults that are aimed at one namespace hit this one, and no fault of a request ever the other. */
export const AIMED = "aimed";
export const UNTOUCHED = "untouched";

const TEAMS = Array.from({ length: 10 }, (_, i) => `team-${i}`);
export const NAMESPACES: readonly string[] = [AIMED, UNTOUCHED, ...TEAMS];

const ALL: Partial<CronJobObject["spec"]> = { catchUp: { policy: "All" } };
const FORBID: Partial<CronJobObject["spec"]> = { concurrencyPolicy: "Forbid" };

function completed(afterMs: number): JobEnd {
  return { by: "completion", afterMs };
}

function tutorial(
  namespace: string,
  name: string,
  everySeconds: number,
  spec: CronJobPlan["spec"],
  end: JobEnd = completed(0),
): CronJobPlan {
  return { flavour: "tutorial", namespace, name, everySeconds, spec, end };
}

/** Every other CronJob has `neverTwice`, and there are six more whose Jobs are deleted at once. */
export function halfNeverTwice(plans: readonly CronJobPlan[]): CronJobPlan[] {
  const deleted = ["a", "b", "c", "d", "e", "f"].map((name) =>
    tutorial(must(TEAMS[4]), `all-deleted-${name}`, 3, ALL, { by: "deletion", afterMs: 100 })
  );
  return [...plans, ...deleted].map((plan, i) => ({ ...plan, neverTwice: i % 2 === 0 }));
}

/** The CronJobs whose Jobs the suite alone runs. */
export const CRON_JOBS: readonly CronJobPlan[] = [
  tutorial(AIMED, "all", 2, ALL),
  tutorial(AIMED, "latest", 2, {}),
  tutorial(AIMED, "forbid", 2, FORBID, completed(3_000)),
  tutorial(UNTOUCHED, "all", 2, ALL),
  tutorial(UNTOUCHED, "latest", 2, {}),
  tutorial(must(TEAMS[0]), "all", 2, ALL, completed(500)),
  tutorial(must(TEAMS[1]), "all-no-history", 3, { ...ALL, successfulJobsHistoryLimit: 0 }),
  tutorial(must(TEAMS[2]), "latest", 2, {}, completed(1_000)),
  tutorial(must(TEAMS[3]), "forbid", 2, FORBID, completed(3_000)),
  // Their Jobs end in no other way than by going away, at one moment or another: also while no one watches.
  ...[1_500, 2_500, 3_500].map((afterMs) =>
    tutorial(must(TEAMS[4]), `forbid-deleted-${afterMs}`, 2, FORBID, { by: "deletion", afterMs })
  ),
  tutorial(must(TEAMS[5]), "replace", 3, { concurrencyPolicy: "Replace" }, completed(5_000)),
  tutorial(must(TEAMS[6]), "queue", 2, { concurrencyPolicy: "Queue" }, completed(3_000)),
  tutorial(must(TEAMS[7]), "deadline", 2, { ...ALL, startingDeadlineSeconds: 3 }),
  tutorial(must(TEAMS[8]), "punctual", 3, { catchUp: { policy: "None", windowSeconds: 2 } }),
  {
    flavour: "batch",
    namespace: must(TEAMS[9]),
    name: "minutely",
    everySeconds: 60,
    spec: { schedule: "* * * * *", suspend: true },
    annotations: { [MANAGED]: "true", "cronjob-controller.dev/catch-up": "All" },
    end: completed(0),
  },
];

/** The CronJobs whose Pods are run. */
export const CRON_JOBS_WITH_PODS: readonly CronJobPlan[] = [
  tutorial(AIMED, "all", 2, { ...ALL, jobTemplate: template({ seconds: 0.2 }) }, { by: "its Pods" }),
  tutorial(UNTOUCHED, "latest", 3, { jobTemplate: template({ seconds: 1 }) }, { by: "its Pods" }),
  tutorial(must(TEAMS[0]), "forbid", 3, { ...FORBID, jobTemplate: template({ seconds: 4 }) }, { by: "its Pods" }),
  tutorial(must(TEAMS[1]), "parallel", 5, {
    ...ALL,
    jobTemplate: template({ seconds: 0.5, completions: 3, parallelism: 2 }),
  }, { by: "its Pods" }),
  tutorial(must(TEAMS[2]), "indexed", 6, {
    ...ALL,
    jobTemplate: template({ seconds: 0.5, completions: 3, parallelism: 3, completionMode: "Indexed" }),
  }, { by: "its Pods" }),
];

export function flavourOf({ flavour }: CronJobPlan): Flavour {
  return flavour === "tutorial" ? TUTORIAL : BATCH;
}

export function manifestOf(plan: CronJobPlan): object {
  const { resource } = flavourOf(plan);
  return {
    apiVersion: `${resource.group}/${resource.version}`,
    kind: "CronJob",
    metadata: {
      name: plan.name,
      namespace: plan.namespace,
      annotations: {
        ...plan.annotations,
        ...plan.flavour === "batch" && plan.neverTwice ? { [NAME_HOLD]: "true" } : {},
      },
    },
    spec: {
      schedule: `@every ${plan.everySeconds}s`,
      successfulJobsHistoryLimit: 3,
      jobTemplate: template({ seconds: 0 }),
      ...plan.flavour === "tutorial" ? { neverTwice: plan.neverTwice } : {},
      ...plan.spec,
    },
  };
}

/** Whether a status says of a slot that it waits for others. */
export function waitsInLine(status: CronJobObject["status"], slot: number): boolean {
  return (status?.waiting ?? []).some(({ after, before }) => Date.parse(after) < slot && slot < Date.parse(before));
}

/** All scheduled times after the creation, up to an instant. */
export function slotsOf({ flavour, everySeconds }: CronJobPlan, createdAt: number, until: number): number[] {
  const everyMs = everySeconds * 1_000;
  // `@every` counts from the creation, a calendar by itself.
  const from = flavour === "tutorial" ? createdAt : Math.floor(createdAt / everyMs) * everyMs;
  const slots: number[] = [];
  for (let slot = from + everyMs; slot <= until; slot += everyMs) slots.push(slot);
  return slots;
}

function template(
  { seconds, ...spec }: { seconds: number; completions?: number; parallelism?: number; completionMode?: string },
): CronJobObject["spec"]["jobTemplate"] {
  const containers = [{ name: "main", image: "busybox", command: ["sleep", String(seconds)] }];
  return {
    spec: { ...spec, backoffLimit: 100, template: { spec: { restartPolicy: "Never", containers } } },
  } as CronJobObject["spec"]["jobTemplate"];
}
