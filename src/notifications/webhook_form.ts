import type { EpochMs } from "../base/epoch_ms.ts";
import type { Notification, NotifiedCronJob } from "./notification.ts";
import type { NotifiedRecord } from "./notified_record.ts";
import type { OutgoingRequest } from "./request.ts";

/** The forms that receivers of requests understand. */
export const WEBHOOK_FORMS = ["slack", "alertmanager", "cloudevents"] as const;
export type WebhookFormName = typeof WEBHOOK_FORMS[number];

/** A CronJob whose failure was reported, and whose recovery was not. */
export interface FailingCronJob {
  readonly cronJob: NotifiedCronJob;
  readonly record: NotifiedRecord;
}

/** A way to report to a receiver. */
export interface WebhookForm {
  requestOf(notification: Notification, now: EpochMs): OutgoingRequest;
  /**
   * Returns the requests that report again which CronJobs fail. Absent: a receiver of this form is notified once.
   */
  readonly remindersOf?: (failing: readonly FailingCronJob[], now: EpochMs) => readonly OutgoingRequest[];
}
