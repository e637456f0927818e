import type { Clock } from "../base/clock.ts";
import type { Runnable } from "../runtime/runnable.ts";
import type { Leading } from "../runtime/take_over.ts";
import { loggerFor } from "../telemetry/logging.ts";
import { eachMinute } from "./each_minute.ts";
import { readNotified } from "./notified_record.ts";
import type { OutgoingRequest } from "./request.ts";
import type { FollowedCronJobs } from "./run_notifier.ts";
import { notifiedCronJob } from "./notification.ts";
import type { FailingCronJob, WebhookForm } from "./webhook_form.ts";

export interface RemindersOptions {
  readonly clock: Clock;
  readonly remindersOf: NonNullable<WebhookForm["remindersOf"]>;
  readonly send: (request: OutgoingRequest, signal: AbortSignal) => Promise<void>;
  readonly followed: readonly FollowedCronJobs[];
  /** Absent: it leads from the start. */
  readonly leading?: Leading | undefined;
}

const logger = loggerFor("notifications");

/** Reports each minute which CronJobs fail, by their records, for receivers that forget alerts which are not repeated. */
export function reminders({ remindersOf, send, followed, ...options }: RemindersOptions): Runnable {
  /** Requests go at once: receivers forget within minutes, and a request without an answer takes seconds. */
  const remind = async (signal: AbortSignal) => {
    try {
      const requests = remindersOf(followed.flatMap(failingOf), options.clock.now());
      await Promise.all(requests.map((request) => send(request, signal)));
    } catch (error) {
      if (!signal.aborted) logger.warn("Cannot repeat which CronJobs fail: {error}", { error });
    }
  };
  return { name: "reminders", run: (signal) => eachMinute(options, signal, () => remind(signal)) };
}

function failingOf(followed: FollowedCronJobs): FailingCronJob[] {
  return Array.from(followed.cronJobs.store.values()).flatMap((cronJob) => {
    const record = readNotified(cronJob);
    return record && record.inARow > 0 && followed.isOurs(cronJob)
      ? [{ cronJob: notifiedCronJob(cronJob), record }]
      : [];
  });
}
