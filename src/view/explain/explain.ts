import { standstillOf } from "../../cronjob/decision/obstacles.ts";
import type { EpochMs } from "../../base/epoch_ms.ts";
import type { WallMs } from "../../schedule/time_zone.ts";
import { actionsFor, readLogs } from "../actions.ts";
import type { Action, RunView, State } from "../cron_job_view.ts";
import type { LeaseFacts } from "../lease_facts.ts";
import { type Look, lookAt, lookBack, type ViewInput } from "../look.ts";
import { nextRunOf } from "../next_run.ts";
import { type Runner, whereToLook } from "../runner.ts";
import { isOfSchedule, timeOf } from "../runs.ts";
import { withRefusal } from "../run_history.ts";
import { stateOf } from "../states.ts";
import { zoneOf } from "../../cronjob/api/zone.ts";
import { meantTime, scheduleOfLook, type TimePrecision } from "./asked_time.ts";
import { checksOf } from "./checks.ts";
import type { Check, Explanation, Verdict } from "./explanation.ts";
import { leaderCheck } from "./leader_check.ts";
import { verdictOfRun } from "./run_verdict.ts";
import { verdictOfTime, whyStill } from "./time_verdict.ts";

/** The subject of a question: a time, a Job, or else the newest time that has come. */
export interface Question {
  readonly at?: EpochMs | undefined;
  /** The time as the user read it off the wall clock: the clocks may skip it. */
  readonly wall?: WallMs | undefined;
  /** @default "exact" */
  readonly precision?: TimePrecision;
  readonly job?: string | undefined;
  /** The last lines of the failed run, where they were read. */
  readonly lastLines?: readonly string[];
  /** The leader, where its Lease was read. */
  readonly lease?: LeaseFacts | undefined;
}

/** Reasons of a state that no single run shows. */
const OF_NO_TIME: readonly string[] = ["MultipleControllers", "Replaced"];

/** Says why a CronJob ran, or did not: by its schedule, its Jobs, what is recorded and remembered, its Events and its Pods. */
export function explain(input: ViewInput, asked: Question = {}): Explanation {
  const present = lookAt(input);
  const look = lookFor(present, asked);
  const question = exactly(look, asked);
  const found = stateOf(present);
  const { cronJob } = input;
  const run = runAskedFor(look, question);
  const time = run || question.job !== undefined ? run?.scheduledTime : question.at ?? newestTime(look);
  const leader = time === undefined || question.lease === undefined
    ? undefined
    : leaderCheck(look, time, question.lease);
  // A time that waits is no run yet.
  const made = run?.outcome === "Waiting" ? undefined : run;
  const verdict = made
    ? verdictOfRun(look, withRefusal(look, made))
    : question.job !== undefined
    ? noSuchJob(question.job)
    : time === undefined
    ? withoutTime(look)
    : byLeader(verdictOfTime(look, time, question.wall), leader, input.runner);
  return {
    apiVersion: cronJob.flavour.apiVersion,
    namespace: cronJob.metadata.namespace ?? "",
    name: cronJob.metadata.name,
    zone: zoneOf(cronJob),
    scheduledTime: time,
    run,
    verdict,
    checks: time === undefined ? [] : checksOf(look, time, {
      run: made,
      wasStarted: verdict.kind === "Started",
      wall: question.wall,
      leader,
    }),
    state: found.state,
    lastSuccess: look.state.lastSuccess,
    sinceSuccess: sinceSuccess(look),
    lastLines: question.lastLines ?? [],
    actions: actionsAfter(verdict, look, { run, state: found.state, actions: actionsFor(present, found), leader }),
    nextRun: nextRunOf(look),
    runner: input.runner,
    notes: [
      ...found.cause && OF_NO_TIME.includes(found.cause.reason) ? [found.cause.message] : [],
      ...input.notes ?? cronJob.settings.problems,
    ].filter((note) => !verdict.why?.includes(note) && note !== input.runner?.why),
  };
}

/** Returns the look with remembered runs; with those of an earlier namesake for a question about a Job or an earlier time. */
export function lookFor(present: Look, { job, at = Infinity }: Question): Look {
  const { createdAt = -Infinity } = present.input.cronJob;
  return lookBack(present, job === undefined && at > createdAt ? createdAt : undefined);
}

/** Returns the run that a question is about, if there is a trace of it. */
export function runAskedFor(look: Look, question: Question): RunView | undefined {
  const { runs } = look;
  const { at, job } = exactly(look, question);
  if (job !== undefined) return runs.find((run) => run.job === job);
  const time = at ?? newestTime(look);
  if (time === undefined) return undefined;
  const isNamed = scheduleOfLook(look)?.next(time - 1) === time;
  // A run by hand that got no Job has nothing but the time of its refusal.
  const ofTime = runs.filter(({ scheduledTime, startedAt, job: made }) =>
    time === (scheduledTime ?? (made === undefined && !isNamed ? startedAt : undefined))
  );
  return ofTime.find(({ trigger }) => trigger === "Schedule") ?? ofTime[0];
}

/** Returns the question about the time that is meant. */
function exactly(look: Look, question: Question): Question {
  const { at, precision = "exact" } = question;
  return at === undefined ? question : { ...question, precision: "exact", at: meantTime(look, at, precision) };
}

/** Returns the newest scheduled time that has come, as far as the schedule, or else a run, shows. */
function newestTime(look: Look): EpochMs | undefined {
  const { input: { now, cronJob }, runs } = look;
  const named = scheduleOfLook(look)?.previous(Math.min(now, cronJob.settings.endTime ?? now) + 1);
  const created = cronJob.createdAt ?? -Infinity;
  const ran = runs.filter(isOfSchedule).map(({ scheduledTime }) => scheduledTime).find((time) =>
    time !== undefined && time <= now
  );
  const newest = Math.max(named !== undefined && named > created ? named : -Infinity, ran ?? -Infinity);
  return newest === -Infinity ? undefined : newest;
}

function noSuchJob(job: string): Verdict {
  return {
    kind: "Unknown",
    message: `has no Job ${job}`,
    why: "neither a Job nor the status shows it; history limits may have deleted it",
  };
}

function withoutTime(look: Look): Verdict {
  const { input: { cronJob }, findings } = look;
  const standstill = standstillOf(findings);
  const message = cronJob.stewardship.isContested ? "is not run by this controller" : "does not run";
  if (standstill) return { kind: "NotFollowed", message, why: whyStill(look, standstill) };
  if (findings.due.next === undefined) return { kind: "NotFollowed", message: `${message} any more`, why: undefined };
  return { kind: "Unknown", message: "has had no scheduled time yet", why: undefined };
}

/** Adds a reason from the leader or the runner to a verdict for which nothing of the CronJob itself gives one. */
function byLeader(verdict: Verdict, leader: Check | undefined, runner: Runner | undefined): Verdict {
  if (verdict.why !== undefined || (verdict.kind !== "Overdue" && verdict.kind !== "Waiting")) return verdict;
  if (leader?.result === "FAIL") return { ...verdict, why: leader.message };
  if (runner?.by === "none") return { ...verdict, why: runner.why };
  if (verdict.kind === "Waiting") return verdict;
  return { ...verdict, why: `it was not started, and nothing says why: ${whereToLook(runner)}` };
}

/** Returns how many known runs failed, were skipped or were missed since the last success. */
function sinceSuccess({ runs, state: { lastSuccess = -Infinity } }: Look): Explanation["sinceSuccess"] {
  const count = (outcome: RunView["outcome"]) =>
    runs.filter(isOfSchedule).filter((run) => run.outcome === outcome && (run.endedAt ?? timeOf(run)) > lastSuccess)
      .length;
  return { failed: count("Failed"), skipped: count("Skipped"), missed: count("Missed") };
}

/** Returns the remedies for the CronJob's state; where it needs none, those for the run that was asked about. */
function actionsAfter(
  { kind }: Verdict,
  look: Look,
  { run, state, actions, leader }: {
    run: RunView | undefined;
    state: State;
    actions: readonly Action[];
    leader: Check | undefined;
  },
): readonly Action[] {
  // The success of one run does not end the contest of two controllers.
  if (kind === "Succeeded" && state !== "Contested") return [];
  if (actions.length > 0) return actions;
  if (kind === "Waiting" && leader?.result === "FAIL") return [{ do: "LookAtController" }];
  if (kind === "Failed") return [...readLogs(look, run?.job), { do: "RunNow" }];
  return kind === "Skipped" || kind === "Missed" || kind === "NotStarted" ? [{ do: "RunNow" }] : [];
}
