import type { EpochMs } from "../base/epoch_ms.ts";
import type { Notification, NotifiedCronJob } from "./notification.ts";
import type { NotifiedRecord } from "./notified_record.ts";
import type { OutgoingRequest } from "./request.ts";

/** The forms that receivers of requests understand. */
export const WEBHOOK_FORMS = ["slack", "alertmanager", "cloudevents"] as const;
export type WebhookFormName = typeof WEBHOOK_FORMS[number];

/** A CronJob whose failure was reported, and its recovery was not. */
export interface FailingCronJob {
  readonly cronJob: NotifiedCronJob;
  readonly record: NotifiedRecord;
}

/** A way to report to a receiver. */
export interface WebhookForm {
  requestOf(notification: Notification, now: EpochMs): OutgoingRequest;
  /**
   * Returns what says again which CronJobs fail, of all that do. Absent: the receiver needs to hear of a failure once.
   */
  readonly remindersOf?: (failing: readonly FailingCronJob[], now: EpochMs) => readonly OutgoingRequest[];
}
