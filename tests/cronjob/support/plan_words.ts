import { LAST_MISSED_TIME } from "../../../src/cronjob/api/annotations.ts";
import type { CronJobEdit } from "../../../src/cronjob/api/cron_job_edit.ts";
import { readJob } from "../../../src/cronjob/api/job.ts";
import { decideRecords } from "../../../src/cronjob/decide.ts";
import type { DecisionInput } from "../../../src/cronjob/decision/input.ts";
import { jobFor } from "../../../src/cronjob/decision/job_template.ts";
import type { Plan, Records, SettlePlan, StartPlan } from "../../../src/cronjob/plan.ts";
import type { PlannedEvent } from "../../../src/cronjob/status/events.ts";
import type { Job } from "../../../src/kube/resource.ts";
import { type EpochMs, formatTime } from "../../../src/base/epoch_ms.ts";
import {
  conditionsInWords,
  IN_ANNOTATIONS,
  nameOf,
  type Started,
  statusInWords,
  timeInName,
  type Words,
} from "./status_words.ts";
import { clockOf } from "./world.ts";

/**
 * What a row of a table expects of the plan; and, where it starts a run, of what is recorded once that has its Job. What
 * is left out must not happen.
 */
export interface Then {
  /** The scheduled time, or `trigger <id>`. It goes without saying that the status lists it then. */
  start?: string | undefined;
  /** Whether it was missed. */
  isCatchUp?: boolean;
  replaces?: string[] | undefined;
  deletes?: string[];
  /** By their reasons; in parentheses what is said by no Event, but by a log line. */
  events?: string[];
  /** When it is decided again; `never`, if left out. */
  requeue?: string;
  /** What is recorded, in the status or in annotations, and does not go without saying: {@linkcode statusInWords}. */
  status?: Words | undefined;
  /** Reasons by type of condition, with `!` where it is false; left out are those of a CronJob that all is well with. */
  conditions?: Words | undefined;
  /** Other annotations that are written. */
  annotations?: Record<string, string | null> | undefined;
  /** Whether anything is recorded. @default where the status is the tutorial's, or the row names a record or a start */
  writes?: boolean;
  /** Jobs that change hands. */
  handsOver?: string[];
  /** Annotations and `spec.suspend` after the plan gave the CronJob back. */
  release?: CronJobEdit | undefined;
  /** Runs whose Jobs are wanted, and could not be created just now. */
  refused?: string[];
  /** When a plan that starts has it decided again, where that is another time than once the start is recorded. */
  nextInstant?: string;
  /** Whether a time that is still to come was started. */
  clockWentBack?: boolean;
}

/** The plan in the words of {@linkcode Then}: all that it does, and what `then` names besides. */
export function planInWords(given: DecisionInput, plan: Plan, then: Then): Then {
  if (plan.kind === "settle") return settled(given, plan, then);
  const { kind: _, request, replaces, events, isCatchUp, nextInstant, ...others } = plan;
  const start = request.trigger === "Manual" ? `trigger ${request.id}` : clockOf(request.scheduledTime);
  const { input, jobName } = afterStart(given, plan);
  const records = settled(input, decideRecords(input), then, { start, jobName, before: given, replaces });
  return {
    ...others,
    ...records,
    start,
    isCatchUp,
    replaces: replaces.map(({ metadata }) => nameOf(given, metadata.name)),
    events: [...reasons(events), ...records.events ?? []],
    ...(requeueIn(nextInstant) !== records.requeue && { nextInstant: requeueIn(nextInstant) }),
  };
}

function settled(given: DecisionInput, plan: SettlePlan, then: Then, started?: Started): Then {
  const { kind: _, records, events, handOvers, deletions, refusedJobs, requeueAt, ...rest } = plan;
  // What only metrics and the memory of this process take from it.
  const { report: _report, nextRun: _nextRun, decidedUntil: _decidedUntil, ...others } = rest;
  const { flavour } = given.cronJob;
  const name = (jobName: string) => nameOf(given, jobName);
  const requeue = requeueIn(requeueAt);
  return {
    ...others,
    deletes: deletions.map(({ metadata }) => name(metadata.name)),
    events: reasons(events),
    requeue,
    status: statusInWords(given, records, { requeue, started, named: then.status }),
    conditions: conditionsInWords(given, records, then.conditions),
    writes: records.status !== undefined || Object.keys(records.annotations ?? {}).some(isToldOf),
    annotations: otherAnnotations(records),
    handsOver: handOvers.map(({ child, controller }) => `${name(child.metadata.name)} ${controller}`),
    refused: refusedJobs.map((jobName) => timeInName(flavour, jobName)),
  };
}

/** Rows name the last time that was missed only where they are about it. */
function isToldOf(annotation: string): boolean {
  return annotation !== LAST_MISSED_TIME;
}

/** Those that are not part of `status`. */
function otherAnnotations({ annotations = {} }: Records): Then["annotations"] {
  const records: readonly string[] = Object.values(IN_ANNOTATIONS);
  const others = Object.entries(annotations).filter(([name]) => !records.includes(name));
  return others.length === 0 ? undefined : Object.fromEntries(others);
}

function reasons(events: readonly PlannedEvent[]): string[] {
  return events.map(({ reason, isNoticeOnly }) => isNoticeOnly ? `(${reason})` : reason);
}

function requeueIn(instant: EpochMs | undefined): string {
  return instant === undefined ? "never" : clockOf(instant);
}

/** What is decided on once the Job exists. */
function afterStart(
  given: DecisionInput,
  { request, replaces }: StartPlan,
): { input: DecisionInput; jobName: string } {
  const job = jobFor(given.cronJob, request) as Job;
  const metadata = {
    ...job.metadata,
    uid: "uid of the new Job",
    resourceVersion: "11",
    creationTimestamp: formatTime(given.now),
  };
  const input = {
    ...given,
    jobs: [
      ...given.jobs.filter((child) => !replaces.includes(child)),
      readJob([given.cronJob.flavour], { ...job, metadata }),
    ],
    deleted: new Set([...given.deleted ?? [], ...replaces.map(({ metadata }) => metadata.uid)]),
  };
  return { input, jobName: metadata.name };
}
