import { assertEquals } from "@std/assert";
import { BATCH, type Flavour, FLAVOURS, PRODUCTION, TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import type { Condition } from "../../src/cronjob/api/types.ts";
import { readJob } from "../../src/cronjob/api/job.ts";
import { decide } from "../../src/cronjob/decide.ts";
import type { DecisionInput, PodKnowledge } from "../../src/cronjob/decision/input.ts";
import { PodMemory } from "../../src/cronjob/knowledge/pod_memory.ts";
import type { Job } from "../../src/kube/resource.ts";
import { atLeast, must } from "../support/expected.ts";
import { table } from "../support/table.ts";
import { test } from "../support/test.ts";
import { at, clockOf, type Given, rawJobs, world } from "./support/world.ts";
import { present } from "../support/present.ts";

type JobStatus = NonNullable<Job["status"]>;

interface Case {
  readonly given?: Partial<Given>;
  /** Of the one Job, which started at 10:00. */
  readonly status: JobStatus;
  readonly timeoutSeconds?: number;
  readonly defaultMs?: number | undefined;
  /** Since when this process has looked on. @default from before the Job */
  readonly watchedSince?: string | "not yet";
  readonly started?: boolean;
  readonly now: string;
}

const NOTHING: JobStatus = { startTime: "2026-03-10T10:00:00Z", active: 1, ready: 0 };

/** Returns whether the Job is ended now, or when that is looked at again. */
function outcome(api: Flavour, { given, status, timeoutSeconds, defaultMs, watchedSince, started, now }: Case) {
  const about: Given = {
    now,
    last: "10:00",
    jobs: [{ time: "10:00" }],
    ...(timeoutSeconds !== undefined &&
      (api.extrasIn === "spec"
        ? { spec: { pendingTimeoutSeconds: timeoutSeconds } }
        : { annotations: { "cronjob-controller.dev/pending-timeout-seconds": String(timeoutSeconds) } })),
    ...given,
  };
  const [raw] = atLeast(1, rawJobs(api, about));
  const job = readJob([api], { ...raw, status });
  const uid = job.metadata.uid;
  const pods: PodKnowledge = {
    started: new Set(started ? [uid] : []),
    timedOut: new Set(),
    watchedSince: new Map(watchedSince === "not yet" ? [] : [[uid, at(watchedSince ?? "09:00")]]),
  };
  const input: DecisionInput = {
    ...world(api, about),
    jobs: [job],
    pods,
    defaultPendingTimeoutMs: defaultMs,
  };
  const plan = decide(input);
  if (plan.kind !== "settle") throw new Error("Something starts");
  return plan.timeouts.length > 0 ? "ended" : plan.requeueAt === undefined ? "never" : clockOf(plan.requeueAt);
}

const ROWS: readonly (readonly [sentence: string, given: Case, then: string])[] = [
  ["before its time it is looked at again", { status: NOTHING, timeoutSeconds: 300, now: "10:01" }, "10:05"],
  ["a Job whose Pods never started is ended", { status: NOTHING, timeoutSeconds: 300, now: "10:05" }, "ended"],
  ["a Job that was not looked at yet has its whole time", {
    status: NOTHING,
    timeoutSeconds: 300,
    watchedSince: "not yet",
    now: "10:30",
  }, "10:35"],
  ["its own time counts, not the default", {
    status: NOTHING,
    timeoutSeconds: 600,
    defaultMs: 60_000,
    now: "10:05",
  }, "10:10"],
  ["0 means never, whatever the default is", {
    status: NOTHING,
    timeoutSeconds: 0,
    defaultMs: 60_000,
    now: "10:30",
  }, "11:00"],
  ["a ready Pod", { status: { ...NOTHING, ready: 1 }, timeoutSeconds: 300, now: "10:30" }, "11:00"],
  ["a Pod that failed", { status: { ...NOTHING, failed: 1 }, timeoutSeconds: 300, now: "10:30" }, "11:00"],
  ["a Pod that succeeded", { status: { ...NOTHING, succeeded: 1 }, timeoutSeconds: 300, now: "10:30" }, "11:00"],
  ["a Pod on its way out", { status: { ...NOTHING, terminating: 1 }, timeoutSeconds: 300, now: "10:30" }, "11:00"],
  ["a Pod that ended and is not counted yet", {
    status: { ...NOTHING, uncountedTerminatedPods: { failed: ["pod"] } },
    timeoutSeconds: 300,
    now: "10:30",
  }, "11:00"],
  [
    "a Pod that was seen to be ready before",
    { status: NOTHING, started: true, timeoutSeconds: 300, now: "10:30" },
    "11:00",
  ],
  ["a server that does not say how many are ready", {
    status: present<JobStatus>({ ...NOTHING, ready: undefined }),
    timeoutSeconds: 300,
    now: "10:30",
  }, "11:00"],
  ["a suspended Job, which has no start", {
    status: { active: 0, ready: 0 },
    timeoutSeconds: 300,
    now: "10:30",
  }, "11:00"],
  ["a Job that is failing already", {
    status: { ...NOTHING, conditions: [{ type: "FailureTarget", status: "True" }] },
    timeoutSeconds: 300,
    now: "10:30",
  }, "11:00"],
  ["a Job that is being deleted", {
    given: { jobs: [{ time: "10:00", deleting: true }] },
    status: NOTHING,
    timeoutSeconds: 300,
    now: "10:30",
  }, "11:00"],
  ["a process that looked on later counts from then", {
    status: NOTHING,
    timeoutSeconds: 300,
    watchedSince: "10:29",
    now: "10:30",
  }, "10:34"],
];

for (const api of FLAVOURS) {
  table(
    `decide() ends Jobs whose Pods never start (${api.controllerName})`,
    ROWS,
    (given, then) => assertEquals(outcome(api, given), then),
  );
}

for (
  const [api, then, byDefault] of [
    [PRODUCTION, "11:00", "ended"],
    [BATCH, "ended", "03-11 10:00"],
    [TUTORIAL, "ended", "03-11 10:00"],
  ] as const
) {
  test(`where nothing is said, a Job waits as long as its API says, else as the controller says (${api.controllerName})`, () => {
    const given: Partial<Given> = { schedule: "0 10 * * *" };
    const byFlag: Case = { given, status: NOTHING, defaultMs: 300_000, now: "10:05" };
    assertEquals([outcome(api, byFlag), outcome(api, { ...byFlag, defaultMs: undefined, now: "11:00" })], [
      then,
      byDefault,
    ]);
  });
}

/** What the condition about the timeout says: `True Forbidden`. Undefined where there is none. */
function ignored({ forbidden, before = [] }: { forbidden?: string; before?: Condition[] }): string | undefined {
  const pods: PodKnowledge = { forbidden, started: new Set(), timedOut: new Set(), watchedSince: new Map() };
  const plan = decide({
    ...world(TUTORIAL, {
      now: "10:05",
      last: "10:00",
      status: { conditions: before },
      spec: { pendingTimeoutSeconds: 300 },
    }),
    pods,
  });
  if (plan.kind !== "settle") throw new Error("Something starts");
  const found = plan.records.status!.conditions!.find(({ type }) => type === "PendingTimeoutIgnored");
  return found && `${found.status} ${found.reason}`;
}

test("A CronJob whose Jobs may not be ended has a condition that says so, as long as that holds", () => {
  assertEquals(ignored({}), undefined);
  assertEquals(ignored({ forbidden: "jobs.batch is forbidden" }), "True Forbidden");
  const before = { type: "PendingTimeoutIgnored", status: "True", reason: "Forbidden", message: "" } as const;
  assertEquals(ignored({ before: [{ ...before, lastTransitionTime: "" }] }), undefined);
});

test("PodMemory keeps that no Job may be ended, until one was", () => {
  const memory = new PodMemory();
  memory.noteForbidden("jobs.batch is forbidden");
  assertEquals(memory.knownAt(at("10:00"), 0).forbidden, "jobs.batch is forbidden");
  memory.noteTimedOut("uid");
  assertEquals(memory.knownAt(at("10:00"), 0).forbidden, undefined);
});

test("PodMemory keeps what it has seen of the Jobs that are active, by a clock that is never set", () => {
  const jobOf = (status: JobStatus) =>
    readJob([BATCH], { ...must(rawJobs(BATCH, { now: "10:00", jobs: [{ time: "10:00" }] })[0]), status });
  const memory = new PodMemory();
  const waiting = jobOf(NOTHING);
  const { uid } = waiting.metadata;
  memory.note([waiting], 0);
  memory.note([waiting], 60_000);
  assertEquals(memory.knownAt(at("10:05"), 60_000).watchedSince.get(uid), at("10:04"));
  // The wall clock was set ahead.
  assertEquals(memory.knownAt(at("15:00"), 61_000).watchedSince.get(uid), at("14:58:59"));
  memory.noteJob(jobOf({ ...NOTHING, ready: 1 }));
  memory.note([waiting], 70_000);
  assertEquals(memory.knownAt(at("10:06"), 70_000).started.has(uid), true);
  memory.note([], 80_000);
  const { started, watchedSince } = memory.knownAt(at("10:07"), 80_000);
  assertEquals([started.size, watchedSince.size], [0, 0]);
});
