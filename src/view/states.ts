import { managedProblem } from "../cronjob/api/annotation_settings.ts";
import { MANAGED } from "../cronjob/api/annotations.ts";
import { isManagedUnread } from "../cronjob/api/stewardship.ts";
import type { CronJob } from "../cronjob/api/cron_job.ts";
import { BREACHES } from "../cronjob/decision/expectations.ts";
import type { Breach } from "../cronjob/decision/findings.ts";
import { leftOut } from "../cronjob/decision/judge.ts";
import { restedUntil, wasMissed } from "../cronjob/decision/start_point.ts";
import { hasEnded, standstillOf } from "../cronjob/decision/obstacles.ts";
import { aboutLine, ruleOf, waitText } from "../cronjob/decision/waits.ts";
import { type EpochMs, latest, parseTime } from "../base/epoch_ms.ts";
import { zoneOf } from "../cronjob/api/zone.ts";
import { fullTime } from "../schedule/full_time.ts";
import { type Cause, NEEDS_ATTENTION, type State } from "./cron_job_view.ts";
import { whySkipped, whyWithoutJob } from "./explain/run_verdict.ts";
import { knownSince } from "./known_since.ts";
import { isPending, type Look } from "./look.ts";
import { overdue, whyRefused } from "./overdue.ts";
import { whyFailed, whyPending, whyTriedAgain } from "./pods.ts";
import type { Runner } from "./runner.ts";
import { failedInARow } from "./runs.ts";

export interface StateFound {
  readonly state: State;
  readonly needsAttention: boolean;
  readonly since: EpochMs | undefined;
  readonly cause: Cause | undefined;
}

/** `mayPass`: what is found ends by itself, as a rule. @default {mayPass: false} */
type Rule = (look: Look) => Pick<StateFound, "since" | "cause"> & { readonly mayPass?: boolean } | undefined;

/** Finds the worst state that holds. */
export function stateOf(look: Look): StateFound {
  for (const [state, rule] of RULES) {
    const found = rule(look);
    if (!found) continue;
    const { since, cause, mayPass = false } = found;
    return { state, needsAttention: NEEDS_ATTENTION.includes(state) && !mayPass, since, cause };
  }
  return { state: "Waiting", needsAttention: false, since: undefined, cause: undefined };
}

/** Worst first. What a person has stopped is neither late nor failing. */
const RULES: readonly (readonly [State, Rule])[] = [
  ["Contested", contested],
  ["Invalid", invalid],
  ["Stopped", stopped],
  ["Paused", blockedBecause("Paused")],
  ["Suspended", blockedBecause("Suspended")],
  ["Ended", beingDeleted],
  ["Stopped", withoutController],
  ["Blocked", blocked],
  ["Failing", failing],
  ["Overdue", overdue],
  ["Pending", pending],
  ...BREACHES.map((kind): [State, Rule] => [kind, unmet(kind)]),
  ["Slow", replaced],
  ["Missed", missed],
  ["Missed", nameTaken],
  ["Running", running],
  ["Ended", ended],
];

/** An Event about another controller is written once; so long it says how things are. */
const RIVAL_MS = 60 * 60_000;

function contested({ input: { cronJob, events = [], now } }: Look) {
  const { isContested, closed } = cronJob.stewardship;
  if (isContested) return { since: cronJob.specWrittenAt, cause: closed };
  const sign = events.findLast(({ reason, lastAt }) => reason === "MultipleControllers" && lastAt > now - RIVAL_MS);
  return sign && { since: sign.firstAt, cause: { reason: sign.reason, message: sign.message } };
}

/** Faults that no edit of the spec has to mend: they are states of their own. */
const STOPPED: readonly string[] = ["TooManyMissedTimes", "PausedAfterFailures", "RecordLost"];

function invalid({ input: { cronJob, runner }, findings }: Look) {
  const unread = unreadManaged(cronJob, runner);
  if (unread !== undefined) {
    return { since: cronJob.specWrittenAt, cause: { reason: "InvalidAnnotation", message: unread } };
  }
  const { isFault, reason = "", message = "" } = standstillOf(findings) ?? {};
  if (!isFault || STOPPED.includes(reason)) return undefined;
  return { since: standsStillSince(cronJob, reason) ?? cronJob.specWrittenAt, cause: { reason, message } };
}

/** A CronJob that was to be adopted is suspended, and no controller resumes it. */
function unreadManaged({ settings, object }: CronJob, runner: Runner | undefined): string | undefined {
  if (runner?.by === "none" && runner.reason === "InvalidAnnotation") return runner.why;
  return settings.suspended && isManagedUnread(object)
    ? managedProblem(object.metadata.annotations![MANAGED]!)
    : undefined;
}

/** No controller is there to start what comes next. */
function withoutController({ input: { runner }, findings }: Look) {
  if (runner?.by !== "none" || hasEnded(findings.input)) return undefined;
  return { since: undefined, cause: { reason: "NoController", message: runner.why } };
}

function stopped({ input, findings, runs }: Look) {
  const { cronJob } = input;
  const { reason = "", message = "" } = standstillOf(findings) ?? {};
  if (!STOPPED.includes(reason) && reason !== "Releasing") return undefined;
  if (reason === "PausedAfterFailures") {
    const last = failedInARow(runs).find(({ outcome }) => outcome === "Failed");
    const why = last ? `${whyFailed(last, input).message.replace(/\.$/, "")}. ` : "";
    const cause = { reason, message: why + message, ...last?.job !== undefined && { job: last.job } };
    return { since: cronJob.recordedFailures?.pausedSince ?? last?.endedAt, cause };
  }
  const since = (reason === "RecordLost" ? cronJob.lostRecord?.since : undefined) ?? standsStillSince(cronJob, reason);
  return { since, cause: { reason, message } };
}

/** Returns since when the status says that nothing starts for this reason. */
function standsStillSince({ status }: Look["input"]["cronJob"], reason: string): EpochMs | undefined {
  const condition = status.conditions?.find((condition) =>
    (condition.type === "Suspended" || condition.type === "Stalled") && condition.reason === reason
  );
  return parseTime(condition?.lastTransitionTime);
}

function blockedBecause(reason: "Paused" | "Suspended"): Rule {
  return ({ input, findings: { block } }) => {
    if (block?.reason !== reason) return undefined;
    const { cronJob } = input;
    const written = (reason === "Paused" ? cronJob.settings.pause?.since : undefined) ?? cronJob.pauseWrittenAt;
    const since = standsStillSince(cronJob, reason) ?? written;
    const until = block.until === undefined ? "" : `, until ${fullTime(block.until, zoneOf(cronJob))}`;
    return { since, cause: { reason, message: block.message + until } };
  };
}

function beingDeleted({ input: { cronJob }, findings: { block } }: Look) {
  if (block?.reason !== "Deleting") return undefined;
  const { reason, message } = block;
  return { since: parseTime(cronJob.metadata.deletionTimestamp), cause: { reason, message } };
}

/** Active runs hold back what is due. */
function blocked(look: Look) {
  const { input: { cronJob }, findings: { scheduled, due }, activeOfSchedule: active } = look;
  const { settings } = cronJob;
  const [oldest] = active;
  if (!oldest) return undefined;
  const { scheduledTime, createdAt = Infinity } = oldest;
  const isHeld = scheduled.kind === "wait" ||
    (due.tooLate !== undefined && settings.policy !== "Replace" && active.length >= settings.maxActive &&
      (scheduledTime ?? createdAt) < due.tooLate);
  if (!isHeld) return undefined;
  const by = scheduled.kind === "wait" ? scheduled.by : active;
  const stuck = by.find((child) => isPending(child, look.input));
  const inTheWay = stuck ?? by[0]!;
  const job = inTheWay.metadata.name;
  const trouble = stuck ? whyPending(stuck, look.input) : whyTriedAgain(inTheWay, look.input);
  const reason = stuck ? trouble!.reason : settings.policy === "Queue" ? "JobQueued" : "JobAlreadyActive";
  const message = scheduled.kind === "wait"
    ? `waits ${waitText(scheduled, { holder: job, trouble: trouble?.message })}${aboutLine(due)}`
    : `${job} holds runs back${trouble ? `: ${trouble.message}` : ""} (${ruleOf(settings)})`;
  const since = heldSince(look);
  return {
    since,
    cause: { reason, message, job },
    mayPass: !stuck && (settings.policy === "Queue" || isShort(look, since)),
  };
}

/** So long at least, and at most, runs are held back or missed before a user should look: two periods in between. */
const SHORT_MS = { min: 5 * 60_000, max: 15 * 60_000 } as const;

/** Returns whether runs are held back or missed since so short a time that it may pass by itself. */
function isShort({ input: { now }, findings: { due: { schedule } } }: Look, since: EpochMs | undefined): boolean {
  if (since === undefined || !schedule) return false;
  const third = schedule.next(schedule.next(since) ?? Infinity) ?? Infinity;
  return now - since < Math.min(SHORT_MS.max, Math.max(SHORT_MS.min, third - since));
}

/** Returns since when a run is due that active ones hold back. */
function heldSince({ findings, activeOfSchedule: active }: Look): EpochMs | undefined {
  const { scheduled, due, start } = findings;
  const begun = Math.max(...active.map(({ scheduledTime, createdAt }) => scheduledTime ?? createdAt ?? 0));
  const first = due.line && scheduled.kind === "wait"
    ? scheduled.request.scheduledTime
    : due.schedule?.next(Math.max(begun, start.floor));
  return first && Math.max(first + due.offsetMs, restedUntil(findings));
}

function failing(look: Look) {
  const { state: { consecutiveFailures }, runs, input: { cronJob, keptFailures } } = look;
  if (consecutiveFailures === 0 || succeededSince(look)) return undefined;
  const inARow = failedInARow(runs);
  const condition = cronJob.status.conditions?.find(({ type, status }) => type === "Failing" && status === "True");
  const last = inARow.find(({ outcome }) => outcome === "Failed");
  const why = whyFailed(last, look.input);
  const remembered = keptFailures && keptFailures.count >= inARow.length ? keptFailures.since : undefined;
  return {
    since: parseTime(condition?.lastTransitionTime) ?? remembered ?? inARow.at(-1)?.endedAt,
    cause: { ...why, ...(last?.job !== undefined && { job: last.job }) },
  };
}

/** Returns whether the status, in place of a Job that is gone, shows a success after all failures that Jobs show. */
function succeededSince({ input: { cronJob }, runs, state: { lastSuccess = -Infinity } }: Look): boolean {
  const failed = runs.filter(({ outcome, trigger }) => outcome === "Failed" && trigger !== "Backfill");
  return !cronJob.flavour.openStatus && failed.every(({ endedAt = Infinity }) => endedAt < lastSuccess);
}

function unmet(kind: Breach["kind"]): Rule {
  return ({ findings: { expectations } }) => {
    const breach = expectations.breaches.find((breach) => breach.kind === kind);
    if (!breach) return undefined;
    const { since, message, job } = breach;
    return { since, cause: { reason: kind, message, ...job !== undefined && { job } } };
  };
}

/** Three runs have started since one ended: a run that is replaced leaves no trace where no status records it. */
function replaced(look: Look) {
  const { findings, state: { lastSuccess, lastFailure }, runs, activeOfSchedule: [oldest] } = look;
  const { input: { cronJob }, due: { schedule }, start } = findings;
  const until = oldest?.scheduledTime;
  if (cronJob.settings.policy !== "Replace" || until === undefined || !schedule) return undefined;
  const ends = [lastSuccess, lastFailure, ...runs.map(({ endedAt }) => endedAt), start.floor, restedUntil(findings)];
  const last = latest(...ends)!;
  const from = Math.max(last, ...cronJob.passedOver.map(({ before }) => before - 1));
  const [, , third] = schedule.anchoredAt(from).between(from, until);
  const isKnown = cronJob.flavour.openStatus || (knownSince(look) ?? Infinity) <= last;
  if (third === undefined || !isKnown) return undefined;
  const perhaps = cronJob.flavour.openStatus ? "" : ", or was not started";
  const message = `No run has ended since ${fullTime(last, zoneOf(cronJob))}: each is replaced by the next${perhaps}`;
  return { since: third, cause: { reason: "Replaced", message, job: oldest!.metadata.name } };
}

function pending({ input, active }: Look) {
  const child = active.find((child) => isPending(child, input));
  if (!child) return undefined;
  return {
    since: child.startTime ?? child.createdAt,
    cause: { ...whyPending(child, input), job: child.metadata.name },
  };
}

function missed(look: Look) {
  const { due, start: { lastScheduleTime = -Infinity, floor } } = look.findings;
  const { tooLate, schedule } = due;
  if (tooLate === undefined || leftOut(look.findings, tooLate) || !wasMissed(look.findings, tooLate)) return undefined;
  if (isMadeUp(look, tooLate)) return undefined;
  const which = `The run of ${fullTime(tooLate, zoneOf(look.input.cronJob))}`;
  const run = look.runs.find(({ scheduledTime, outcome }) => scheduledTime === tooLate && outcome === "Skipped");
  const refusal = whyRefused(look.input, tooLate);
  const cause = run
    ? { reason: "JobAlreadyActive", message: `${which} was skipped: ${whySkipped(look, tooLate, run.reason)}` }
    : {
      reason: "MissSchedule",
      message: `${which} was not started inside its deadline${refusal === undefined ? "" : `: ${refusal}`}`,
    };
  const first = schedule?.next(Math.max(lastScheduleTime, floor, restedUntil(look.findings))) ?? tooLate;
  // Only the next run that starts ends a missed one.
  const isNextSoon = (due.next ?? Infinity) - tooLate <= SHORT_MS.max;
  return { since: tooLate, cause, mayPass: isNextSoon && isShort(look, first) };
}

/** Returns whether a back-fill, or a run that started later, makes up for a missed run; or a success whose Job is gone. */
function isMadeUp({ input, runs, state: { lastSuccess = -Infinity } }: Look, missed: EpochMs): boolean {
  const successes = runs.filter(({ outcome }) => outcome === "Succeeded");
  const isGone = !input.cronJob.flavour.openStatus && successes.every(({ endedAt }) => endedAt !== lastSuccess);
  return (isGone && lastSuccess > missed) ||
    successes.some(({ trigger, scheduledTime, startedAt = 0 }) =>
      trigger === "Backfill" ? scheduledTime === missed : startedAt >= missed
    );
}

/** Another CronJob may take the names of its Jobs again and again, as one of the same name in another API does. */
function nameTaken(look: Look) {
  const scheduled = look.runs.filter(({ trigger }) => trigger === "Schedule");
  const other = scheduled.findIndex(({ reason }) => reason !== "JobNameTaken");
  const taken = scheduled.slice(0, other < 0 ? undefined : other);
  const time = taken[0]?.scheduledTime;
  if (time === undefined || isMadeUp(look, time)) return undefined;
  const message = `The run of ${fullTime(time, zoneOf(look.input.cronJob))} was not started: ${
    whyWithoutJob(taken[0]!)
  }`;
  const since = taken.at(-1)!.scheduledTime;
  return { since, cause: { reason: "JobNameTaken", message }, mayPass: isShort(look, since) };
}

function running({ active, input }: Look) {
  const [oldest] = active;
  if (!oldest) return undefined;
  const cause = active.map((child) => whyTriedAgain(child, input)).find((why) => why !== undefined);
  return { since: oldest.startTime ?? oldest.createdAt, cause };
}

function ended({ findings: { input, due } }: Look) {
  const { endTime } = input.cronJob.settings;
  if (hasEnded(input)) return { since: endTime, cause: { reason: "Ended", message: "spec.endTime has passed" } };
  if (due.next !== undefined) return undefined;
  return { since: undefined, cause: { reason: "NoScheduledTime", message: "No scheduled time comes any more" } };
}
