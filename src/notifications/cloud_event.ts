import { formatTime } from "../base/epoch_ms.ts";
import { factsOf, type NotificationFacts } from "./facts.ts";
import type { RunNotification } from "./notification.ts";

/** A CloudEvent in structured mode: https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/formats/json-format.md */
interface CloudEvent {
  readonly specversion: "1.0";
  readonly id: string;
  readonly source: string;
  readonly type: `dev.cronjob-controller.run.${RunNotification["kind"]}`;
  /** The Job. */
  readonly subject: string;
  readonly time: string;
  readonly datacontenttype: "application/json";
  readonly data: NotificationFacts;
}

export const CLOUD_EVENT_TYPE = "application/cloudevents+json; charset=utf-8";

/** Returns a notification as an event of its CronJob. */
export function cloudEventOf(notification: RunNotification): CloudEvent {
  const { kind, id, run, cronJob: { apiVersion, namespace, name } } = notification;
  return {
    specversion: "1.0",
    id,
    source: `/apis/${apiVersion}/namespaces/${namespace}/cronjobs/${name}`,
    type: `dev.cronjob-controller.run.${kind}`,
    subject: run.jobName,
    time: formatTime(run.endTime),
    datacontenttype: "application/json",
    data: factsOf(notification),
  };
}
