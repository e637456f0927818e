import { isDeepStrictEqual } from "node:util";
import {
  FAILURES,
  LAST_MISSED_TIME,
  LAST_TRIGGER,
  OBSERVED_SCHEDULES,
  PASSED_OVER,
  WAITING,
} from "../../../src/cronjob/api/annotations.ts";
import type { CronJob } from "../../../src/cronjob/api/cron_job.ts";
import type { Flavour } from "../../../src/cronjob/api/flavour.ts";
import type { Child } from "../../../src/cronjob/api/job.ts";
import type { CronJobStatus, ObservedEntry, RunRecord } from "../../../src/cronjob/api/types.ts";
import { zoneOf } from "../../../src/cronjob/api/zone.ts";
import type { DecisionInput } from "../../../src/cronjob/decision/input.ts";
import type { Records } from "../../../src/cronjob/plan.ts";
import { durationsOfRuns } from "../../../src/cronjob/status/durations.ts";
import type { DeepReadonly } from "../../../src/kube/object.ts";
import { parseTime } from "../../../src/base/epoch_ms.ts";
import { fullTime } from "../../../src/schedule/full_time.ts";
import { clockOf } from "./world.ts";
import type { Loose } from "../../../src/base/loose.ts";

/** Fields of a status: times as clock times, references as names. */
export type Words = Record<string, unknown>;

/** A run that starts, in the words of a row, and what was decided on then. */
export interface Started {
  readonly start: string;
  readonly jobName: string;
  readonly before: DecisionInput;
  readonly replaces: readonly Child[];
}

interface Plain {
  /** When it is decided again, in the words of a row. */
  readonly requeue: string;
  readonly started?: Started | undefined;
}

type Status = DeepReadonly<CronJobStatus>;

/** What annotations record where the status has no room for it. */
export const IN_ANNOTATIONS = {
  passedOver: PASSED_OVER,
  waiting: WAITING,
  lastMissedTime: LAST_MISSED_TIME,
  lastTrigger: LAST_TRIGGER,
  failuresInARow: FAILURES,
  schedule: OBSERVED_SCHEDULES,
};

/**
 * What is recorded after a plan, as far as it does not go without saying, and the fields that the row names. What goes
 * without saying: what was recorded before; that a Job which starts is listed, is the last, and answers its trigger; and
 * of the tutorial's status what a CronJob without news says: that the spec's schedule holds since its creation, that the
 * next run is when it is decided again, what became of each Job, and no counts. The last time that was missed stands there only
 * where the row names it.
 */
export function statusInWords(
  input: DecisionInput,
  written: Records,
  { named = {}, ...given }: Plain & { named?: Words | undefined },
): Words | undefined {
  const words = recordsInWords(input, written, given.started);
  const plain = plainWords(input, written.status ?? input.cronJob.status, given);
  const fields = Object.keys({ ...named, ...words, ...plain });
  const news = fields.filter((field) =>
    field in named || (field !== "lastMissedTime" && !isDeepStrictEqual(words[field], plain[field]))
  );
  return news.length === 0 ? undefined : Object.fromEntries(news.map((field) => [field, words[field]]));
}

function plainWords(input: DecisionInput, status: Status, { requeue, started }: Plain): Words {
  const { cronJob } = input;
  const before = recordsInWords(started?.before ?? input, {});
  const native = { ...before, ...(started && ofStart(started, before)) };
  if (!cronJob.flavour.openStatus) return native;
  const { schedules, exclusionsDigest: exclude } = cronJob.settings;
  const since = cronJob.metadata.creationTimestamp;
  const entries = schedules.map(({ text, timeZone }) => ({ text, timeZone, since }));
  const next = parseTime(status.nextScheduleTime);
  return {
    ...native,
    observedGeneration: cronJob.metadata.generation,
    schedule: before.schedule ?? scheduleInWords({ entries, exclude }),
    counts: before.counts ?? {},
    recentRuns: status.recentRuns && plainRuns(input, status.recentRuns.map(runInWords)),
    durations: status.recentRuns && durationsOfRuns(status.recentRuns),
    nextScheduleTime: requeue === "never" ? undefined : requeue,
    nextRun: next === undefined ? undefined : fullTime(next, zoneOf(cronJob)),
  };
}

function ofStart({ start, before, replaces }: Started, { active }: Words): Words {
  const replaced = replaces.map(({ metadata }) => nameOf(before, metadata.name));
  const others = (active as string[]).filter((name) => !replaced.includes(name));
  const [trigger, id] = start.split("trigger ");
  return {
    active: [...others, start],
    ...(id === undefined ? { lastScheduleTime: trigger } : { lastTrigger: id }),
  };
}

/** The records that were there, and of each Job what became of it; in the order of the status if it says the same. */
function plainRuns(input: DecisionInput, recorded: string[]): string[] {
  const outcomes = { active: "Running", succeeded: "Succeeded", failed: "Failed BackoffLimitExceeded" };
  const runs = new Map([
    ...(input.cronJob.status.recentRuns ?? []).map((run) => [runName(run), runInWords(run)] as const),
    ...input.jobs.map(({ scheduledTime, state, metadata: { name } }) => {
      const run = scheduledTime === undefined ? `Manual ${name}` : clockOf(scheduledTime);
      return [run, `${run} ${outcomes[state]}`] as const;
    }),
  ]);
  const plain = [...runs.values()];
  return isDeepStrictEqual(plain.toSorted(), recorded.toSorted()) ? recorded : plain;
}

/** What is recorded once this is written. */
function recordsInWords(input: DecisionInput, written: Records, started?: Started): Words {
  const { cronJob } = input;
  const status: Status = { ...(written.status ?? cronJob.status), ...inAnnotations(cronJob, written) };
  const { schedule, counts, recentRuns, passedOver, waiting, failuresInARow } = status;
  const name = (jobName: string) => jobName === started?.jobName ? started.start : nameOf(input, jobName);
  const others = Object.entries(status).filter(([field]) => field !== "conditions");
  return {
    ...Object.fromEntries(others.map(([field, value]) => [field, typeof value === "string" ? clockIn(value) : value])),
    active: (status.active ?? []).map((reference) => name(reference.name!)),
    ...(schedule && { schedule: scheduleInWords({ ...schedule, entries: schedule.entries ?? [schedule] }) }),
    ...(counts && { counts: Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0)) }),
    ...(recentRuns && { recentRuns: recentRuns.map(runInWords) }),
    ...(passedOver && { passedOver: stretchesInWords(passedOver) }),
    ...(waiting && { waiting: stretchesInWords(waiting) }),
    ...(failuresInARow && { failuresInARow: failuresInWords(cronJob.flavour, failuresInARow) }),
  };
}

function inAnnotations({ flavour, metadata }: CronJob, { annotations }: Records): Status {
  if (flavour.openStatus) return {};
  const texts: Record<string, string | null | undefined> = { ...metadata.annotations, ...annotations };
  const stretchesOf = (name: string) =>
    texts[name]?.split(",").map((stretch) => {
      const [after = "", before = ""] = stretch.split("/");
      return { after, before };
    });
  const passedOver = stretchesOf(PASSED_OVER);
  const waiting = stretchesOf(WAITING);
  const lastMissedTime = texts[LAST_MISSED_TIME] ?? undefined;
  const lastTrigger = texts[LAST_TRIGGER] ?? undefined;
  const failures = texts[FAILURES];
  const observed = texts[OBSERVED_SCHEDULES];
  return {
    ...passedOver && { passedOver },
    ...waiting && { waiting },
    ...lastMissedTime && { lastMissedTime },
    ...lastTrigger && { lastTrigger },
    ...failures && { failuresInARow: JSON.parse(failures) },
    ...observed && { schedule: { text: "", since: "", entries: JSON.parse(observed) } },
  };
}

function stretchesInWords(stretches: DeepReadonly<NonNullable<CronJobStatus["waiting"]>>): string[] {
  return stretches.map(({ after, before }) => `${clockIn(after)}-${clockIn(before)}`);
}

function runInWords(run: DeepReadonly<RunRecord>): string {
  return [runName(run), run.outcome, run.reason].filter((word) => word !== undefined).join(" ");
}

function runName({ scheduledTime, trigger, jobName = "" }: DeepReadonly<RunRecord>): string {
  return scheduledTime === undefined ? `${trigger} ${jobName}`.trim() : clockIn(scheduledTime);
}

/** Such as `0 * * * * since 08:30; 15 9 * * * Europe/Berlin since 08:40`. */
function scheduleInWords(
  { entries, exclude }: { entries: readonly Loose<DeepReadonly<ObservedEntry>>[]; exclude?: string | undefined },
): string {
  const texts = entries.map(({ text, timeZone, since }) => [text, timeZone ?? [], "since", clockIn(since)].flat());
  return texts.map((words) => words.join(" ")).join("; ") + (exclude === undefined ? "" : ` without ${exclude}`);
}

/** Such as `3: 09:00 08:00 07:00, paused since 09:01`. */
function failuresInWords(
  flavour: Flavour,
  { count, counted = [], pausedSince, resumedAt }: NonNullable<DeepReadonly<CronJobStatus>["failuresInARow"]>,
): string {
  const jobs = counted.map(({ jobName }) => timeInName(flavour, jobName));
  return [
    [`${count}:`, ...jobs].join(" "),
    ...pausedSince ? [`paused since ${clockIn(pausedSince)}`] : [],
    ...resumedAt ? [`resumed at ${clockIn(resumedAt)}`] : [],
  ].join(", ");
}

function clockIn(text: string): string {
  const instant = parseTime(text);
  return instant === undefined ? text : clockOf(instant);
}

/** A Job by its scheduled time where it has one, so that tables need no numbers. */
export function nameOf({ jobs }: DecisionInput, name: string): string {
  const scheduledTime = jobs.find(({ metadata }) => metadata.name === name)?.scheduledTime;
  return scheduledTime === undefined ? name : clockOf(scheduledTime);
}

/** The scheduled time that a Job's name says. */
export function timeInName({ nameUnitSeconds }: Flavour, name: string): string {
  return clockOf(Number(name.replace(/.*-/, "")) * nameUnitSeconds * 1_000);
}

/** What the tutorial's conditions say of a CronJob that all is well with. */
const WELL: Words = {
  Ready: "Scheduled",
  Suspended: "!NotRequested",
  ScheduleValid: "Valid",
  Overdue: "!OnSchedule",
  Failing: "!NoFailure",
  RanAhead: "!OnTime",
};

const RESTS: readonly unknown[] = ["Suspended", "Paused", "PausedAfterFailures", "Ended", "Excluded"];

/** What goes without saying beside `Ready`: that it rests as it was asked to, or that its author has to mend it. */
function besideReady(ready: unknown): Words {
  if (RESTS.includes(ready)) return { Suspended: ready };
  return typeof ready === "string" && ready.startsWith("!") && ready !== "!Deleting"
    ? { Stalled: ready.slice(1) }
    : { Stalled: undefined };
}

/** The conditions after a plan that say something else than {@linkcode WELL}, or before, and those that the row names. */
export function conditionsInWords({ cronJob }: DecisionInput, written: Records, named: Words = {}): Words | undefined {
  const { status, flavour } = cronJob;
  const words = reasonsByType(written.status ?? status);
  const plain = { ...reasonsByType(status), ...(flavour.openStatus && { ...WELL, ...besideReady(words.Ready) }) };
  const types = Object.keys({ ...named, ...words, ...plain });
  const news = types.filter((type) => type in named || words[type] !== plain[type]);
  return news.length === 0 ? undefined : Object.fromEntries(news.map((type) => [type, words[type]]));
}

function reasonsByType({ conditions = [] }: Status): Words {
  return Object.fromEntries(
    conditions.map(({ type, status, reason }) => [type, status === "True" ? reason : `!${reason}`]),
  );
}
