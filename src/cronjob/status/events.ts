import { type EpochMs, formatTime } from "../../base/epoch_ms.ts";
import type { BackfillProgress } from "../api/backfill.ts";
import { type Child, isOfSchedule } from "../api/job.ts";
import type { NormalReason, WarningReason } from "../api/reasons.ts";
import type { BackfillNews, Wait } from "../decision/findings.ts";
import { type RunRequest, scheduledTimeOf } from "../decision/run_request.ts";
import { TOO_MANY_MISSED } from "../decision/obstacles.ts";
import { waitText } from "../decision/waits.ts";

/** An Event to write, at most once for each `about`. Reasons and messages are upstream's wherever it has one. */
export interface PlannedEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: NormalReason | WarningReason | typeof STARTED_BY_HAND;
  readonly message: string;
  /** The subject of the decision: a scheduled time, a Job's UID, a generation. With the reason it identifies repeats. */
  readonly about: string;
  readonly scheduledTime?: EpochMs | undefined;
  /** The outcome of a run, for observers. */
  readonly run?: RunNotice;
  /** For observers alone: no Event is written. */
  readonly isNoticeOnly?: true;
}

/** No reason of an Event: Kubernetes has none for that. */
const STARTED_BY_HAND = "StartedByHand";

/** A run that started, ended, waits, was refused, or made room for another. */
export interface RunNotice {
  readonly outcome: "started" | "succeeded" | "failed" | "waits" | "skipped" | "replaced";
  /** A person asked for it. */
  readonly byHand?: boolean;
  /** A back-fill asked for it. */
  readonly isBackfill?: true;
  readonly jobName?: string;
  readonly scheduledTime?: EpochMs | undefined;
  /** When a request by hand was refused. */
  readonly refusedAt?: EpochMs;
  /** Why it waits or was skipped, or what ended it. */
  readonly reason?: string | undefined;
  /** Its Job's message about its failure. */
  readonly message?: string | undefined;
}

/** A run has started. Those made by hand or by a back-fill have no scheduled time of the schedule. */
export function created(jobName: string, request: RunRequest): PlannedEvent {
  const scheduledTime = scheduledTimeOf(request);
  const { trigger } = request;
  const run: RunNotice = {
    outcome: "started",
    byHand: trigger === "Manual",
    ...trigger === "Backfill" && { isBackfill: true },
    jobName,
    scheduledTime,
  };
  return { ...normal("SuccessfulCreate", `Created job ${jobName}`, jobName), scheduledTime, run };
}

/** A person made it by `kubectl create job --from`. */
export function startedByHand({ metadata: { name, uid } }: Child): PlannedEvent {
  const run: RunNotice = { outcome: "started", byHand: true, jobName: name };
  const message = `Job ${name} was made by hand`;
  return { type: "Normal", reason: STARTED_BY_HAND, message, about: uid, run, isNoticeOnly: true };
}

/** The API server refused the Job. What may pass, such as a quota, is tried again. */
export function createFailed(jobName: string, scheduledTime: EpochMs | undefined, message: string): PlannedEvent {
  const run: RunNotice = { outcome: "skipped", jobName, scheduledTime, reason: message };
  return { ...warning("FailedCreate", `Error creating job: ${message}`, jobName), scheduledTime, run };
}

/** Said of a Job by whose name the run would go, and which is no child of the CronJob. */
export function jobNameTaken(jobName: string, scheduledTime: EpochMs | undefined): PlannedEvent {
  const message = `Not starting job because ${jobName} exists already, and does not belong to this CronJob`;
  return { ...warning("JobNameTaken", message, jobName), scheduledTime };
}

/** `message`: why Jobs could not be read, without which nothing is decided. */
export function getFailed(message: string): PlannedEvent {
  return warning("FailedGet", `Get job: ${message}`, message);
}

/** The API server has accepted the deletion; its Pods may still be ending. */
export function deleted({ metadata, scheduledTime }: Child): PlannedEvent {
  const { name, uid } = metadata;
  return { ...normal("SuccessfulDelete", `Deleted job ${name}`, uid), scheduledTime };
}

/** Its run makes room for the next one. */
export function replaced(child: Child): PlannedEvent {
  const { metadata: { name }, scheduledTime, manual } = child;
  return { ...deleted(child), run: { outcome: "replaced", byHand: manual, jobName: name, scheduledTime } };
}

/** It is tried again, and repeats are counted in one Event. */
export function deleteFailed({ metadata, scheduledTime }: Child, message: string): PlannedEvent {
  return { ...warning("FailedDelete", `Deleted job: ${message}`, metadata.uid), scheduledTime };
}

/** The failed Job stays: not all that its Pods say is recorded. */
export function podsUnread({ metadata, scheduledTime, state }: Child, message: string): PlannedEvent {
  const effect = state === "failed" ? "stays" : "cannot be judged by messagePattern";
  return {
    ...warning("FailedGet", `Job ${metadata.name} ${effect}, as its Pods cannot be read: ${message}`, metadata.uid),
    scheduledTime,
  };
}

/** Where a CronJob is adopted or released, its Jobs change their controller one by one. */
export function handOverFailed({ metadata }: Child, message: string): PlannedEvent {
  return warning(
    "FailedHandOver",
    `Error changing the owner reference of job ${metadata.name}: ${message}`,
    message,
  );
}

/** Said of a Job that `status.active` listed, whether it succeeded or failed. */
export function completed(child: Child): PlannedEvent {
  const { metadata, state, scheduledTime, manual, endReason, failureMessage } = child;
  const { name, uid } = metadata;
  const condition = state === "succeeded" ? "Complete" : "Failed";
  const run: RunNotice = {
    outcome: state === "succeeded" ? "succeeded" : "failed",
    byHand: manual,
    ...!isOfSchedule(child) && { isBackfill: true },
    jobName: name,
    scheduledTime,
    reason: state === "failed" ? endReason : undefined,
    message: failureMessage,
  };
  return {
    ...normal("SawCompletedJob", `Saw completed job: ${name}, condition: ${condition}`, uid),
    scheduledTime,
    run,
  };
}

/** It has an owner reference to the CronJob, but neither a scheduled time nor the sign of a person. */
export function unexpected({ metadata }: Child): PlannedEvent {
  const { name, uid } = metadata;
  return warning("UnexpectedJob", `Saw a job that the controller did not create or forgot: ${name}`, uid);
}

/** It is not deleted with the CronJob any more, and its end wakes no CronJob; yet it runs. */
export function ownerLost({ metadata }: Child): PlannedEvent {
  const { name, uid } = metadata;
  const message =
    `Active job ${name} no longer names this CronJob as its owner, and counts as active until it has ended`;
  return warning("JobOwnerLost", message, uid);
}

/** `status.active` listed it, and it is gone without a deletion of ours. */
export function missing(name: string, uid: string): PlannedEvent {
  return normal("MissingJob", `Active job went missing: ${name}`, uid);
}

/** `startingDeadlineSeconds` or `catchUp` no longer allows the run. */
export function missedSchedule(scheduledTime: EpochMs): PlannedEvent {
  // Go's RFC1123Z.
  const text = new Date(scheduledTime).toUTCString().replace("GMT", "+0000");
  const event = warning("MissSchedule", `Missed scheduled time to start a job: ${text}`, formatTime(scheduledTime));
  return { ...event, scheduledTime, run: { outcome: "skipped", scheduledTime, reason: event.reason } };
}

/** A person asked for the run, and the concurrency policy refuses it. */
export function skippedByHand(id: string, message: string, refusedAt: EpochMs): PlannedEvent {
  const event = normal("JobAlreadyActive", message, `trigger ${id}`);
  return { ...event, run: { outcome: "skipped", byHand: true, refusedAt, reason: event.reason } };
}

/** Said once for each run that waits. */
export function waits(scheduledTime: EpochMs, wait: Wait): PlannedEvent {
  const message = waitText(wait);
  const run: RunNotice = { outcome: "waits", scheduledTime, message };
  return { ...normal(wait.reason, `Waits ${message}`, formatTime(scheduledTime)), scheduledTime, run };
}

/** Said once: each cleans up, skips and writes the status by rules of its own. */
export function multipleControllers(sign: string): PlannedEvent {
  return warning("MultipleControllers", `Another controller runs this CronJob as well: ${sign}`, "");
}

/** More than 100 times were missed: this run, the latest, starts all the same. */
export function tooManyMissed(scheduledTime: EpochMs): PlannedEvent {
  return { ...warning("TooManyMissedTimes", TOO_MANY_MISSED, formatTime(scheduledTime)), scheduledTime };
}

/** A run was started for a time that is still to come. */
export function ranAhead(lastScheduleTime: EpochMs): PlannedEvent {
  const time = formatTime(lastScheduleTime);
  return warning("LastScheduleTimeInFuture", ranAheadMessage(lastScheduleTime), time);
}

/** Returns what the Event says, and the condition too. */
export function ranAheadMessage(lastScheduleTime: EpochMs): string {
  return `Runs up to ${formatTime(lastScheduleTime)} were started before their time, by a clock that was ahead: ` +
    "they do not start again, and what was not started runs at its time";
}

/** The status gave a time as the last for which no run was started. */
export function untrueLast(lastScheduleTime: EpochMs): PlannedEvent {
  const time = formatTime(lastScheduleTime);
  return warning(
    "LastScheduleTimeInFuture",
    `status.lastScheduleTime ${time} is no time that was started: set back`,
    time,
  );
}

/** Nothing is started until the spec changes: said once a generation. */
export function stoppedForTooManyMissed(generation: number | undefined): PlannedEvent {
  const event = specProblem("TooManyMissedTimes", TOO_MANY_MISSED, generation);
  return { ...event, run: { outcome: "skipped", reason: event.reason } };
}

/** Says once that a back-fill is recorded to have begun, or ended, or what is wrong with it. */
export function aboutBackfill(news: BackfillNews, generation: number | undefined): PlannedEvent {
  switch (news.kind) {
    case "problem":
      return specProblem("InvalidBackfill", news.message, generation);
    case "started": {
      const { id, slots } = news.progress;
      return normal("BackfillStarted", `Started back-fill ${id} of ${slots} scheduled times`, id);
    }
    case "ended":
      return backfillEnded(news.progress);
  }
}

/** An API server drops the fields that its CRD lacks without an error: the same would be decided again and again. */
export function notRecorded(generation: number | undefined): PlannedEvent {
  const message = "The API server does not keep all that is recorded: apply this version's definition of CronJob";
  return specProblem("NotRecorded", message, generation);
}

function backfillEnded(progress: BackfillProgress): PlannedEvent {
  const { id, state, succeeded, failed, gone, skipped, message } = progress;
  const outcome = `${succeeded} succeeded, ${failed} failed, ${gone} gone, ${skipped} had run before`;
  switch (state) {
    case "Refused":
      return warning("BackfillRefused", `Not starting back-fill ${id}: ${message}`, id);
    case "Cancelled":
      return normal("BackfillCancelled", `Back-fill ${id} was cancelled: ${outcome}`, id);
    default:
      return failed > 0
        ? warning("BackfillCompleted", `Back-fill ${id} is done: ${outcome}`, id)
        : normal("BackfillCompleted", `Back-fill ${id} is done: ${outcome}`, id);
  }
}

/** For what is wrong with the spec itself: said once a generation. */
export function specProblem(reason: WarningReason, message: string, generation: number | undefined): PlannedEvent {
  return warning(reason, message, `generation ${generation ?? 0} ${message}`);
}

/** The reason of the condition that ends a Job whose Pods never started. */
export const PENDING_TIMEOUT = "PendingTimeout";

export const NEVER_TWICE_OFF = "neverTwice has no effect: the controller runs without --never-twice";

/** `wait`: what its Pod waits for, where that is known. */
export function pendingTimeoutMessage(timeoutMs: number, wait: string | undefined): string {
  const message = `No Pod was ready or had ended within ${timeoutMs / 1_000} s of the start of the job`;
  return wait === undefined ? message : `${message}: ${wait}`;
}

/** `message`: of the condition that ends it. */
export function pendingTimeout({ metadata: { name, uid }, scheduledTime }: Child, message: string): PlannedEvent {
  return { ...warning(PENDING_TIMEOUT, `Ending job ${name}: ${message}`, uid), scheduledTime };
}

/** The Job stays active, and the write is tried again. */
export function pendingTimeoutFailed({ metadata: { name, uid }, scheduledTime }: Child, message: string): PlannedEvent {
  return {
    ...warning("FailedPendingTimeout", `Error ending job ${name}, whose Pods do not start: ${message}`, uid),
    scheduledTime,
  };
}

/** Said once each time that it happens. */
export function haltedSince(
  since: EpochMs,
  reason: WarningReason,
  message: string,
  generation: number | undefined,
): PlannedEvent {
  return warning(reason, message, `generation ${generation ?? 0} ${formatTime(since)}`);
}

function normal(reason: NormalReason, message: string, about: string): PlannedEvent {
  return { type: "Normal", reason, message, about };
}

function warning(reason: WarningReason, message: string, about: string): PlannedEvent {
  return { type: "Warning", reason, message, about };
}
