import { type EpochMs, latest } from "../../base/epoch_ms.ts";
import type { Findings } from "../decision/findings.ts";
import { pauseWrittenAt } from "../decision/start_point.ts";
import { type PassedOver, passedOver, type RefusedRun, refusedRuns } from "./run_records.ts";

/** The scheduled times that a decision finds without a run, and that were not reported before. */
export interface NewlyRefused {
  readonly refused: readonly RefusedRun[];
  readonly passedOver: PassedOver;
}

/** Returns the scheduled times that a decision finds without a run, as far as nothing reported them before. */
export function newlyRefused(findings: Findings): NewlyRefused {
  return {
    refused: refusedRuns(findings).filter((run) => isNew(run, findings)),
    passedOver: passedOver(findings, reportedUntil(findings)),
  };
}

/** Returns the newest scheduled time that was missed, as far as is known. A run that others held back was not. */
export function lastMissed(findings: Findings): EpochMs | undefined {
  const { refused, passedOver } = newlyRefused(findings);
  const missed = refused.filter(({ outcome }) => outcome === "Missed").map(({ scheduledTime }) => scheduledTime);
  const times = [passedOver.newest, ...missed].filter((time) => time !== undefined && !wasHeldBack(time, findings));
  return latest(findings.input.cronJob.lastMissedTime, ...times);
}

/** Returns whether as many runs as may be were active then, as their Jobs say: a closed status does not. */
function wasHeldBack(time: EpochMs, { input: { cronJob: { settings } }, children }: Findings): boolean {
  const active = children.filter(({ createdAt = Infinity, endTime = Infinity }) => createdAt < time && time <= endTime);
  return active.length >= settings.maxActive;
}

/** Returns whether a refusal is new. Of what waits only that counts which nothing reports should another take its place. */
function isNew({ scheduledTime, outcome, reason }: RefusedRun, { input, due }: Findings): boolean {
  if (outcome === "Waiting" && (reason === "JobQueued" || input.cronJob.settings.catchUp === "All")) return false;
  return scheduledTime === undefined || reason === "Superseded" || reason === "JobNameTaken" ||
    scheduledTime > due.decidedUntil;
}

/** Up to when this process has reported already, or need not, as far as no status shows it. */
function reportedUntil({ input, failures }: Findings): EpochMs {
  // Runs that came due while it was suspended were not missed; a closed status doesn't say that it was suspended.
  const resumed = input.cronJob.flavour.openStatus ? undefined : pauseWrittenAt(input);
  return latest(input.facts?.decidedUntil, resumed, failures?.resumedAt) ?? -Infinity;
}
