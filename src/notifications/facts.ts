import { failureLine } from "../cronjob/api/failure_line.ts";
import type { CronJobName } from "../cronjob/observer.ts";
import { formatTime } from "../base/epoch_ms.ts";
import {
  namesIn,
  type Notification,
  type NotifiedCronJob,
  type RunNotification,
  sentenceOf,
  type TroubleNotification,
} from "./notification.ts";

/** The facts of a run that only a machine knows which runs the containers itself. */
export interface LocalFacts {
  readonly exitCode?: number;
  readonly logFile?: string;
}

/** A notification as receivers read it, in JSON. A field without a value is left out. */
export interface NotificationFacts extends LocalFacts, CronJobName {
  readonly event: RunNotification["kind"];
  readonly id: string;
  readonly message: string;
  readonly uid: string;
  readonly job: string;
  readonly jobUid: string;
  readonly trigger: "Schedule" | "Manual";
  readonly scheduledTime?: string;
  readonly endTime: string;
  /** Of a failed run, in one short line. */
  readonly failure?: string;
  readonly reason?: string;
  readonly detail?: string;
  readonly failures: number;
  readonly failuresInARow: number;
  readonly since: string;
  readonly jobs: readonly string[];
}

/** Returns what receivers are sent. */
export function factsOf(notification: RunNotification, local: LocalFacts = {}): NotificationFacts {
  const { kind, cronJob, run, failures, failuresInARow, since, jobNames } = notification;
  return {
    event: kind,
    ...commonFacts(notification, cronJob),
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
    ...local,
  };
}

/** A notification of a trouble as receivers read it, in JSON: of several CronJobs the first, and the names of all. */
export interface TroubleFacts extends CronJobName {
  readonly event: TroubleNotification["kind"];
  readonly id: string;
  readonly message: string;
  readonly uid: string;
  readonly since: string;
  readonly count: number;
  readonly cronJobs: readonly string[];
}

/** Returns the facts of a trouble that receivers are sent. */
export function troubleFactsOf(notification: TroubleNotification): TroubleFacts {
  const { kind, troubles: [first] } = notification;
  const { cronJob, trouble } = first!;
  const cronJobs = namesIn(notification);
  return {
    event: kind,
    ...commonFacts(notification, cronJob),
    since: formatTime(trouble.since),
    count: cronJobs.length,
    cronJobs,
  };
}

function commonFacts(notification: Notification, { apiVersion, namespace, name, uid }: NotifiedCronJob) {
  return { id: notification.id, message: sentenceOf(notification), apiVersion, namespace, name, uid };
}

/** Returns the same as environment variables of a hook. What has no value is empty, so that none is inherited. */
export function environmentOf(of: NotificationFacts | TroubleFacts): Record<string, string> {
  const facts: Partial<NotificationFacts> & Partial<TroubleFacts> = of as never;
  const variables: Record<string, unknown> = {
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
