import type { EpochMs } from "../../base/epoch_ms.ts";
import { ownValue } from "../../base/own_value.ts";
import { ruleOf } from "../../cronjob/decision/waits.ts";
import { type RunView, TRIGGERS } from "../cron_job_view.ts";
import type { Look } from "../look.ts";
import { whyUnsuccessful } from "../pods.ts";
import { durationMs, isOfSchedule, startedBefore, timeOf } from "../runs.ts";
import { distanceOf } from "../times.ts";
import { timeInWords } from "./asked_time.ts";
import type { Verdict, VerdictKind } from "./explanation.ts";

/** Returns the verdict on a time that has come, and of which there is no run. */
export function didNotRun(kind: VerdictKind, time: EpochMs, look: Look, what: string, why?: string): Verdict {
  return { kind, message: `did NOT run at ${timeInWords(time, look)}: ${what}`, why };
}

/** Returns what became of a run that left a trace. */
export function verdictOfRun(look: Look, run: RunView): Verdict {
  const { scheduledTime, startedAt } = run;
  const at = scheduledTime ?? startedAt;
  // A run of the past starts long after the time that it is for.
  const time = at === undefined ? "" : ` ${run.trigger === "Backfill" ? "for" : "at"} ${timeInWords(at, look)}`;
  const byHand = run.trigger === "Schedule" ? "" : ` ${TRIGGERS[run.trigger]}`;
  const says = (kind: VerdictKind, verb: string, what: string, why?: string): Verdict => ({
    kind,
    message: `${verb}${byHand}${time}: ${what}`,
    why,
  });
  switch (run.outcome) {
    case "Succeeded":
      return says("Succeeded", "ran", `succeeded${took(run)}${late(run, look)}`);
    case "Failed":
      return says(
        "Failed",
        "ran",
        `failed${took(run)}${late(run, look)}`,
        `${run.job}: ${whyUnsuccessful(run, look.input)}`,
      );
    case "Running":
      return says("Running", "was started", `${run.job} is running`, whyUnsuccessful(run, look.input) || undefined);
    case "Pending":
      return says("Pending", "was started", `${run.job} does not run yet`, whyUnsuccessful(run, look.input));
    case "Waiting":
      return says("Waiting", "waits", "it is due, and has no Job yet");
    case "Skipped":
      return says("Skipped", "did NOT run", "skipped", whySkipped(look, timeOf(run), run.reason));
    case "Missed":
      return says("Missed", "did NOT run", "missed", whyWithoutJob(run) ?? run.reason);
    case "Unknown":
      return says("Started", "was started", howItEnded(run), `${run.job} is gone: ${goneBecause(run)}`);
  }
}

function took(run: RunView): string {
  const ms = durationMs(run);
  return ms === undefined ? "" : ` after ${distanceOf(0, ms)}`;
}

function late({ trigger, scheduledTime, startedAt }: RunView, { findings: { due: { offsetMs } } }: Look): string {
  if (trigger !== "Schedule" || scheduledTime === undefined || startedAt === undefined) return "";
  const lateMs = startedAt - scheduledTime - offsetMs;
  // A Job is stored with the second of its creation.
  return lateMs < 2_000 ? "" : `, started ${distanceOf(0, lateMs)} late`;
}

function howItEnded({ reason }: RunView): string {
  return reason === "Replaced" ? "replaced" : "how it ended is not known";
}

function goneBecause(run: RunView): string {
  return whyWithoutJob(run) ?? "nothing says who deleted it";
}

/** Returns why a run has no Job; undefined where it has one, and where nothing is known. */
export function whyWithoutJob({ outcome, reason = "", message }: RunView): string | undefined {
  switch (outcome) {
    case "Waiting":
      return "it waits for an active run to end";
    case "Skipped":
    case "Missed":
    case "Unknown":
      return message ?? ownValue(WHY_WITHOUT_JOB, reason);
  }
}

/** Explanations of the recorded reasons of runs without a Job. */
const WHY_WITHOUT_JOB: Readonly<Record<string, string>> = {
  Replaced: "concurrencyPolicy Replace put a later run in its place",
  JobDeleted: "someone deleted it",
  JobAlreadyActive: "another run was active then",
  JobQueued: "another run was active then",
  Superseded: "it waited for an active run to end until a later run took its place",
  MissSchedule: "it was not started inside its deadline",
  PassedOver: "it was not started until a later run took its place",
  JobNameTaken: "a Job of that name was there, and did not belong to this CronJob",
};

/** Returns why a run was skipped, with the run that was active then, if a Job or a record shows it. */
export function whySkipped(look: Look, time: EpochMs, reason: string | undefined): string {
  const { input: { cronJob: { settings } } } = look;
  if (reason === "Superseded") return WHY_WITHOUT_JOB[reason]!;
  const before = look.runs.filter(isOfSchedule).find((other) =>
    startedBefore(other, time) &&
    (other.endedAt === undefined ? ["Pending", "Running"].includes(other.outcome) : other.endedAt > time)
  );
  const policy = ruleOf(settings);
  if (!before) return `${policy}: another run was active then`;
  const stuck = before.outcome === "Pending" ? `: ${whyUnsuccessful(before, look.input)}` : "";
  return `${policy}, and the run of ${timeInWords(timeOf(before), look)} (${before.job}) was still active${stuck}`;
}
