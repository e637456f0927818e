import { type EpochMs, formatTime } from "../../base/epoch_ms.ts";
import type { Findings } from "../decision/findings.ts";
import { hasEnded, type Standstill, standstillOf, TOO_MANY_MISSED } from "../decision/obstacles.ts";
import { wasMissed } from "../decision/start_point.ts";
import { aboutLine, waitText } from "../decision/waits.ts";
import type { NotFollowed } from "../observer.ts";
import { ranAheadMessage } from "./events.ts";
import type { CronJob } from "../api/cron_job.ts";
import { failureLine } from "../api/failure_line.ts";
import { type Child, isStray } from "../api/job.ts";
import { type ConditionReason, CONDITIONS, type ConditionType, isReasonOf } from "../api/reasons.ts";
import type { Condition } from "../api/types.ts";
import type { RunRecords } from "./run_records.ts";

interface ConditionState<Type extends ConditionType> {
  readonly type: Type;
  readonly holds: boolean;
  readonly reason: ConditionReason<Type>;
  readonly message: string;
}

type Followed = ConditionState<"Ready"> | ConditionState<"Suspended"> | ConditionState<"Stalled">;

/**
 * Returns the conditions, brought up to date: a transition time moves only when the status does, and what others set
 * stays.
 */
export function conditionsFor(findings: Findings, records: RunRecords): Condition[] {
  const { cronJob, now } = findings.input;
  const { generation } = cronJob.metadata;
  const states = [
    ...followed(findings),
    scheduleValid(findings),
    overdue(findings),
    failing(records),
    ...expectationsMet(findings),
    ranAhead(findings),
    ...pendingTimeoutIgnored(findings),
  ];
  const conditions = states.map(({ type, holds, reason, message }): Condition => {
    const before = cronJob.status.conditions?.find((condition) => condition.type === type);
    const status = holds ? "True" : "False";
    return {
      type,
      status,
      reason,
      message,
      lastTransitionTime: (before?.status === status && before.lastTransitionTime) || formatTime(now),
      ...(generation !== undefined && { observedGeneration: generation }),
    };
  });
  const others = (cronJob.status.conditions ?? []).filter(({ type }) => !Object.hasOwn(CONDITIONS, type));
  return [...conditions, ...others];
}

/** As kstatus reads them: rest that was asked for is Ready, and what the author alone can mend is Stalled. */
function followed(findings: Findings): Followed[] {
  const standstill = standstillOf(findings) ?? ended(findings);
  if (!standstill) {
    return [{ type: "Ready", holds: true, reason: "Scheduled", message: "The schedule is followed" }, NOT_SUSPENDED];
  }
  const { reason, message } = standstill;
  if (isReasonOf("Suspended", reason)) {
    return [{ type: "Ready", holds: true, reason, message }, { type: "Suspended", holds: true, reason, message }];
  }
  const stalled: Followed[] = isReasonOf("Stalled", reason) ? [{ type: "Stalled", holds: true, reason, message }] : [];
  return [{ type: "Ready", holds: false, reason, message }, NOT_SUSPENDED, ...stalled];
}

const NOT_SUSPENDED: ConditionState<"Suspended"> = {
  type: "Suspended",
  holds: false,
  reason: "NotRequested",
  message: "Runs are to start",
};

function ended({ input, scheduled }: Findings): Standstill | undefined {
  return hasEnded(input) && scheduled.kind === "none"
    ? { reason: "Ended", message: "spec.endTime has passed" }
    : undefined;
}

/** Returns why no run starts although that was not asked for; undefined where runs start. */
export function notFollowed(findings: Findings): NotFollowed | undefined {
  const { scheduled } = findings;
  const standstill = standstillOf(findings);
  if (standstill) {
    const { isFault, reason, message } = standstill;
    // That another controller runs it is reported elsewhere.
    return isFault && reason !== "NotSuspended" ? { reason, message } : undefined;
  }
  return scheduled.kind === "failed" ? { reason: "FailedCreate", message: scheduled.message } : undefined;
}

function scheduleValid({ input }: Findings): ConditionState<"ScheduleValid"> {
  const reading = input.cronJob.schedule;
  return reading.kind === "problem"
    ? { type: "ScheduleValid", holds: false, reason: reading.reason, message: reading.message }
    : { type: "ScheduleValid", holds: true, reason: "Valid", message: "Schedule and time zone are understood" };
}

/** Returns whether a run that is due was not started. */
export function isOverdue(findings: Findings): boolean {
  return overdue(findings).holds;
}

function overdue(findings: Findings): ConditionState<"Overdue"> {
  const { input: { cronJob }, children, due, scheduled } = findings;
  const { tooLate, stopped } = due;
  const because = (reason: ConditionReason<"Overdue">, message: string): ConditionState<"Overdue"> => ({
    type: "Overdue",
    holds: true,
    reason,
    message,
  });
  switch (scheduled.kind) {
    case "wait":
      return because(
        scheduled.reason,
        `Waits ${waitText(scheduled)}` + aboutLine(due) + aboutStrays(cronJob, children),
      );
    case "failed":
      return because("FailedCreate", scheduled.message);
    case "none":
      if (stopped) return because("TooManyMissedTimes", TOO_MANY_MISSED);
      if (tooLate !== undefined && wasSkipped(cronJob, tooLate)) {
        return because(
          "JobAlreadyActive",
          "The latest run waited for an active one to end, and is too late by now",
        );
      }
      if (tooLate !== undefined && wasMissed(findings, tooLate)) {
        return because("MissSchedule", "The latest run was not started inside its deadline");
      }
      break;
    case "skip":
    case "start":
    case "done":
  }
  return { type: "Overdue", holds: false, reason: "OnSchedule", message: "Every run that is due was started" };
}

/** Names the Jobs that hold runs back although they do not belong to this CronJob. */
function aboutStrays(cronJob: CronJob, children: readonly Child[]): string {
  const strays = children.filter((child) => child.state === "active" && isStray(child, cronJob));
  if (strays.length === 0) return "";
  return `: ${strays.map(({ metadata }) => metadata.name).join(", ")} no longer names this CronJob as its owner`;
}

const HELD_BACK: readonly string[] = ["Waiting", "Skipped"];

/** Returns whether it is on record as held back by others. */
function wasSkipped({ status }: CronJob, scheduledTime: EpochMs): boolean {
  const text = formatTime(scheduledTime);
  return status.recentRuns?.some((run) => run.scheduledTime === text && HELD_BACK.includes(run.outcome)) ?? false;
}

function failing({ counts: { consecutiveFailures }, recentRuns }: RunRecords): ConditionState<"Failing"> {
  if (consecutiveFailures === 0) {
    return { type: "Failing", holds: false, reason: "NoFailure", message: "The last run that ended did not fail" };
  }
  const last = recentRuns.find(({ outcome }) => outcome === "Failed");
  const count = `Runs failed in a row: ${consecutiveFailures}`;
  return {
    type: "Failing",
    holds: true,
    reason: "JobFailed",
    message: last === undefined ? count : `${count}. The last one: ${failureLine(last)}`,
  };
}

function ranAhead({ start: { isAhead, lastScheduleTime } }: Findings): ConditionState<"RanAhead"> {
  return isAhead
    ? { type: "RanAhead", holds: true, reason: "LastScheduleTimeInFuture", message: ranAheadMessage(lastScheduleTime!) }
    : { type: "RanAhead", holds: false, reason: "OnTime", message: "No run was started before its time" };
}

/** Only where something is expected. */
function expectationsMet({ input: { cronJob }, expectations }: Findings): ConditionState<"ExpectationsMet">[] {
  if (!cronJob.settings.expect) return [];
  const [worst] = expectations.breaches;
  const message = expectations.breaches.map(({ message }) => message).join(". ") || "Nothing else was seen";
  return [{ type: "ExpectationsMet", holds: worst === undefined, reason: worst?.kind ?? "Met", message }];
}

/** Only while it holds. */
function pendingTimeoutIgnored({ input: { pods } }: Findings): ConditionState<"PendingTimeoutIgnored">[] {
  if (pods?.forbidden === undefined) return [];
  return [{ type: "PendingTimeoutIgnored", holds: true, reason: "Forbidden", message: pods.forbidden }];
}
