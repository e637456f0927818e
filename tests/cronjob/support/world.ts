import { BATCH, type Flavour, TUTORIAL } from "../../../src/cronjob/api/flavour.ts";
import { decide } from "../../../src/cronjob/decide.ts";
import type { CronJobObject, CronJobSpec, CronJobStatus, PodEnd } from "../../../src/cronjob/api/types.ts";
import { readCronJob } from "../../../src/cronjob/api/read_cron_job.ts";
import { readJob } from "../../../src/cronjob/api/job.ts";
import type { DecisionFacts, DecisionInput, Refusal } from "../../../src/cronjob/decision/input.ts";
import type { Job } from "../../../src/kube/resource.ts";
import { type EpochMs, formatTime, parseTime } from "../../../src/base/epoch_ms.ts";
import { must } from "../../support/expected.ts";
import { controlledBy } from "../../support/job.ts";
import { present } from "../../support/present.ts";
import type { Loose } from "../../../src/base/loose.ts";

/** Worlds are written in clock times of this day, a Tuesday. */
const DAY = "2026-03-10";

/** `10:00`, `10:00:05`, or `03-12 10:00` for another day of the year; UTC. */
export function at(clock: string): EpochMs {
  const [time = "", date] = clock.split(" ").reverse();
  const seconds = time.length === 5 ? ":00" : "";
  const instant = parseTime(`${date ? `2026-${date}` : DAY}T${time}${seconds}Z`);
  if (instant === undefined) throw new Error(`No time: ${clock}`);
  return instant;
}

/** The shortest that {@linkcode at} reads as this instant. */
export function clockOf(instant: EpochMs): string {
  const [date = "", time = ""] = formatTime(instant).slice(0, -1).split("T");
  const short = time.endsWith(":00") ? time.slice(0, 5) : time;
  return date === DAY ? short : `${date.slice(5)} ${short}`;
}

export interface JobGiven {
  /** Its scheduled time; without one it has no annotation that says it. */
  time?: string;
  /** @default the name that its time gives it */
  name?: string;
  state?: "active" | "succeeded" | "failed";
  /** What it says of its failure. */
  failure?: string;
  /** @default a minute after its time */
  ended?: string;
  /** @default its time */
  started?: string | null;
  created?: string;
  /** Whether `status.active` lists it. @default if it is active */
  listed?: boolean;
  deleting?: boolean;
  suspended?: boolean;
  /** How many of its Pods have failed. @default {0} */
  failedPods?: number;
  completions?: number;
  annotations?: Record<string, string>;
  /** Whether its owner reference makes the CronJob its controller. @default {true} */
  controlled?: boolean;
}

export interface Given {
  /** Hourly, if not set. */
  schedule?: string;
  created?: string;
  /** `status.lastScheduleTime` */
  last?: string;
  now: string;
  spec?: Loose<Partial<CronJobSpec>>;
  status?: Partial<CronJobStatus> | undefined;
  annotations?: Record<string, string> | undefined;
  jobs?: JobGiven[] | undefined;
  name?: string;
  generation?: number;
  deleting?: boolean;
  /** When it was last written, by whom that owns which fields of the spec, or annotations. */
  written?: { at: string; fields: string[] }[];
  memory?: {
    startedUntil?: string;
    decidedUntil?: string;
    editedAt?: string;
    resumedAt?: string;
    isUnrecordable?: true;
  };
  /** The ends of Pods that were read, by the time of their run. */
  ends?: Record<string, PodEnd>;
  refusal?: Omit<Refusal, "since"> & { jobName: string; since?: string };
  /** Scheduled times whose Jobs' names belong to Jobs of another owner. */
  taken?: string[];
  deleted?: string[];
  annotateNextRun?: boolean;
  /** A Job that `status.active` lists and that is gone: its name. */
  lost?: string;
  uid?: string;
}

export function world(api: Flavour, given: Given): DecisionInput {
  const { now, jobs = [] } = given;
  const name = given.name ?? "report";
  const created = given.created ?? "08:30";
  const uid = given.uid ?? "cronjob-uid";
  const children = rawJobs(api, given);
  const listed = children.filter((_, index) =>
    must(jobs[index]).listed ?? (must(jobs[index]).state ?? "active") === "active"
  );
  const lost = given.lost === undefined ? [] : [given.lost];
  const active = [
    ...listed.map(({ metadata }) => ({ ...reference(metadata.name), uid: metadata.uid, resourceVersion: "5" })),
    ...lost.map((name) => ({ ...reference(name), uid: `uid of ${name}`, resourceVersion: "5" })),
  ];
  const cronJob: CronJobObject = {
    apiVersion: api.apiVersion,
    kind: "CronJob",
    metadata: {
      name,
      namespace: "default",
      uid,
      resourceVersion: "10",
      generation: given.generation ?? 1,
      creationTimestamp: formatTime(at(created)),
      ...(given.annotations && { annotations: given.annotations }),
      ...(given.deleting && { deletionTimestamp: formatTime(at(now)) }),
      ...(given.written && {
        managedFields: given.written.map(({ at: time, fields }) => ({
          manager: "kubectl",
          operation: "Update",
          time: formatTime(at(time)),
          fieldsV1: fieldsOwned(fields),
        })),
      }),
    },
    spec: present<CronJobSpec>({
      schedule: given.schedule ?? "0 * * * *",
      jobTemplate: { spec: { template: { spec: { containers: [{ name: "main", image: "busybox" }] } } } },
      ...given.spec,
    }),
    status: {
      ...(active.length > 0 && { active }),
      ...(given.last && { lastScheduleTime: formatTime(at(given.last)) }),
      ...given.status,
    },
  };
  const { isUnrecordable, ...times } = given.memory ?? {};
  const remembered = Object.entries(times).map(([name, time]) => [name, at(time)]);
  const facts: DecisionFacts = { isUnrecordable, ...Object.fromEntries(remembered) };
  return {
    cronJob: readCronJob(api, cronJob),
    jobs: children.map((job) => readJob([api], job)),
    now: at(now),
    facts,
    refusals: new Map(
      given.refusal && [[given.refusal.jobName, { ...given.refusal, since: at(given.refusal.since ?? now) }]],
    ),
    taken: (given.taken ?? []).map((time) => ({ trigger: "Schedule", scheduledTime: at(time) })),
    deleted: new Set(given.deleted ?? []),
    ...given.ends && { ends: { known: endsOf(given, children) } },
    annotateNextRun: given.annotateNextRun,
  };
}

function endsOf({ ends = {}, jobs = [] }: Given, children: readonly Job[]): ReadonlyMap<string, PodEnd> {
  const known = jobs.map(({ time = "" }, i) => [must(children[i]).metadata.uid, ends[time]] as const);
  return new Map(known.filter((entry): entry is [string, PodEnd] => entry[1] !== undefined));
}

/** The Jobs of a world as an API server sends them. */
export function rawJobs(api: Flavour, { jobs = [], name = "report", uid = "cronjob-uid" }: Given): Job[] {
  const owner = { apiVersion: api.apiVersion, kind: "CronJob", metadata: { name, uid } };
  return jobs.map((job) => jobOf(api, job, owner));
}

function fieldsOwned(fields: string[]) {
  const { annotations = [], spec = [] } = Object.groupBy(
    fields,
    (field) => field.includes("/") ? "annotations" : "spec",
  );
  const owned = (names: string[]) => Object.fromEntries(names.map((name) => [`f:${name}`, {}]));
  return {
    ...(spec.length > 0 && { "f:spec": owned(spec) }),
    ...(annotations.length > 0 && { "f:metadata": { "f:annotations": owned(annotations) } }),
  };
}

function reference(name: string) {
  return { apiVersion: "batch/v1", kind: "Job", name, namespace: "default" };
}

function jobOf(api: Flavour, job: JobGiven, owner: Parameters<typeof controlledBy>[0]): Job {
  const scheduled = job.time === undefined ? undefined : at(job.time);
  const name = job.name ?? `${owner.metadata.name}-${Math.floor(scheduled! / 1000 / api.nameUnitSeconds)}`;
  const state = job.state ?? "active";
  const created = job.created ?? job.time ?? "09:00";
  const ended = job.ended ? at(job.ended) : at(created) + 60_000;
  const started = job.started === null ? undefined : formatTime(at(job.started ?? created));
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name,
      namespace: "default",
      uid: `uid of ${name}`,
      resourceVersion: "5",
      creationTimestamp: formatTime(at(created)),
      annotations: {
        ...(scheduled !== undefined && { [api.scheduledTimeAnnotation]: formatTime(scheduled) }),
        ...job.annotations,
      },
      ownerReferences: [{ ...controlledBy(owner), controller: job.controlled ?? true }],
      ...(job.deleting && { deletionTimestamp: formatTime(ended) }),
    },
    ...((job.suspended || job.completions) && { spec: { suspend: job.suspended, completions: job.completions } }),
    status: {
      ...(started && { startTime: started }),
      ...(job.failedPods && { failed: job.failedPods }),
      ...(state === "succeeded" && {
        completionTime: formatTime(ended),
        conditions: [{ type: "Complete", status: "True", lastTransitionTime: formatTime(ended) }],
      }),
      ...(state === "failed" && {
        conditions: [{
          type: "Failed",
          status: "True",
          reason: "BackoffLimitExceeded",
          ...(job.failure !== undefined && { message: job.failure }),
          lastTransitionTime: formatTime(ended),
        }],
      }),
    },
  } as Job;
}

export { BATCH, decide, TUTORIAL };
