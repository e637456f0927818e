import { failureLine } from "../cronjob/api/failure_line.ts";
import { formatTime } from "../base/epoch_ms.ts";
import {
  isOfRuns,
  namesIn,
  type Notification,
  type RunNotification,
  sentenceOf,
  type TroubleNotification,
} from "./notification.ts";

/** Facts of a run that only the machine knows on which its containers ran. */
export interface LocalFacts {
  readonly exitCode?: number | undefined;
  readonly logFile?: string | undefined;
}

/**
 * Returns a notification as receivers get it, as JSON; of a trouble of several CronJobs the first, and the names of all. JSON
 * leaves out a field without a value.
 */
export function factsOf(notification: Notification, local: LocalFacts = {}) {
  const { kind: event, id } = notification;
  const { cronJob } = isOfRuns(notification) ? notification : notification.troubles[0]!;
  const { apiVersion, namespace, name, uid } = cronJob;
  const common = { event, id, message: sentenceOf(notification), apiVersion, namespace, name, uid };
  return isOfRuns(notification)
    ? { ...common, ...factsOfRuns(notification), ...local }
    : { ...common, ...factsOfTrouble(notification) };
}

function factsOfRuns({ run, failures, failuresInARow, since, jobNames }: RunNotification) {
  return {
    job: run.jobName,
    jobUid: run.uid,
    trigger: run.byHand ? "Manual" : "Schedule",
    scheduledTime: run.scheduledTime === undefined ? undefined : formatTime(run.scheduledTime),
    endTime: formatTime(run.endTime),
    failure: run.outcome === "failed" ? failureLine(run) : undefined,
    reason: run.reason,
    detail: run.message,
    failures,
    failuresInARow,
    since: formatTime(since),
    jobs: jobNames,
  };
}

function factsOfTrouble(notification: TroubleNotification) {
  const cronJobs = namesIn(notification);
  return { since: formatTime(notification.troubles[0]!.trouble.since), count: cronJobs.length, cronJobs };
}

/** Returns these facts as environment variables of a hook. A fact without a value is empty, so that none is inherited. */
export function environmentOf(facts: Readonly<Record<string, unknown>>): Record<string, string> {
  const variables = {
    EVENT: facts.event,
    NOTIFICATION_ID: facts.id,
    MESSAGE: facts.message,
    CRONJOB_API_VERSION: facts.apiVersion,
    CRONJOB_NAMESPACE: facts.namespace,
    CRONJOB_NAME: facts.name,
    JOB_NAME: facts.job,
    SCHEDULED_TIME: facts.scheduledTime,
    END_TIME: facts.endTime,
    FAILURE: facts.failure,
    REASON: facts.reason,
    DETAIL: facts.detail,
    EXIT_CODE: facts.exitCode,
    LOG_FILE: facts.logFile,
    FAILURES: facts.failures,
    FAILURES_IN_A_ROW: facts.failuresInARow,
    FAILURES_SINCE: facts.failures === undefined ? undefined : facts.since,
    SINCE: facts.since,
    CRONJOBS: facts.count,
  };
  // No environment can hold a NUL.
  const text = (value: unknown) => value === undefined ? "" : String(value).replaceAll("\0", "");
  return Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, text(value)]));
}
