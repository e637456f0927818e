import { formatTime } from "../base/epoch_ms.ts";
import type { TroubleKind } from "../cronjob/status/troubles.ts";
import { factsOf, type NotificationFacts, type TroubleFacts, troubleFactsOf } from "./facts.ts";
import { isOfRuns, type NotifiedCronJob, type RunNotification, type TroubleNotification } from "./notification.ts";
import { readSigningKeys, signaturesOf } from "./signature.ts";
import type { WebhookForm } from "./webhook_form.ts";

/** A CloudEvent in structured mode: https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/formats/json-format.md */
interface CloudEvent {
  readonly specversion: "1.0";
  readonly id: string;
  readonly source: string;
  readonly type:
    | `dev.cronjob-controller.run.${RunNotification["kind"]}`
    | `dev.cronjob-controller.cronjob.${TroubleKind}`;
  /** The Job; of a trouble the CronJob. */
  readonly subject: string;
  readonly time: string;
  readonly datacontenttype: "application/json";
  readonly data: NotificationFacts | TroubleFacts;
}

/**
 * Returns the form of CloudEvents that are signed as https://www.standardwebhooks.com has it. Each key of `secret` signs: with two of
 * them receivers can change over.
 *
 * @throws {Error} saying what is wrong, without what is in the secret
 */
export function cloudEventsForm(url: URL, secret: string): WebhookForm {
  const keys = readSigningKeys(secret);
  return {
    requestOf: (notification, now) => {
      const event = isOfRuns(notification) ? cloudEventOf(notification) : troubleEventOf(notification);
      const body = JSON.stringify(event);
      const id = notification.id;
      const timestamp = String(Math.floor(now / 1_000));
      const headers = {
        "content-type": "application/cloudevents+json; charset=utf-8",
        "webhook-id": id,
        "webhook-timestamp": timestamp,
        "webhook-signature": signaturesOf({ id, timestamp, body }, keys),
      };
      return { url, headers, body };
    },
  };
}

/** Returns the path of a CronJob at the API server. */
export function sourceOf({ apiVersion, namespace, name }: NotifiedCronJob): string {
  return `/apis/${apiVersion}/namespaces/${namespace}/cronjobs/${name}`;
}

/** Returns a notification as an event of its CronJob. */
function cloudEventOf(notification: RunNotification): CloudEvent {
  const { kind, id, run, cronJob } = notification;
  return {
    specversion: "1.0",
    id,
    source: sourceOf(cronJob),
    type: `dev.cronjob-controller.run.${kind}`,
    subject: run.jobName,
    time: formatTime(run.endTime),
    datacontenttype: "application/json",
    data: factsOf(notification),
  };
}

function troubleEventOf(notification: TroubleNotification): CloudEvent {
  const { kind, id, troubles: [first] } = notification;
  const { cronJob, trouble } = first!;
  return {
    specversion: "1.0",
    id,
    source: sourceOf(cronJob),
    type: `dev.cronjob-controller.cronjob.${kind}`,
    subject: cronJob.name,
    time: formatTime(trouble.since),
    datacontenttype: "application/json",
    data: troubleFactsOf(notification),
  };
}
