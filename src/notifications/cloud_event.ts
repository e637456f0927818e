import { createHmac } from "node:crypto";
import { formatTime } from "../base/epoch_ms.ts";
import { factsOf } from "./facts.ts";
import { isOfRuns, type Notification, type NotifiedCronJob } from "./notification.ts";
import type { WebhookForm } from "./webhook_form.ts";

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
      const body = JSON.stringify(cloudEventOf(notification));
      const id = notification.id;
      const timestamp = String(Math.floor(now / 1_000));
      const headers = {
        "content-type": "application/cloudevents+json; charset=utf-8",
        "webhook-id": id,
        "webhook-timestamp": timestamp,
        "webhook-signature": signaturesOf(`${id}.${timestamp}.${body}`, keys),
      };
      return { url, headers, body };
    },
  };
}

/** Returns the path of a CronJob at the API server. */
export function sourceOf({ apiVersion, namespace, name }: NotifiedCronJob): string {
  return `/apis/${apiVersion}/namespaces/${namespace}/cronjobs/${name}`;
}

/**
 * Returns a notification as an event of its CronJob, in structured mode; its subject is the Job, or of a trouble the CronJob:
 * https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/formats/json-format.md
 */
function cloudEventOf(notification: Notification) {
  const { kind, id } = notification;
  const { cronJob, of, subject, at } = subjectOf(notification);
  return {
    specversion: "1.0",
    id,
    source: sourceOf(cronJob),
    type: `dev.cronjob-controller.${of}.${kind}`,
    subject,
    time: formatTime(at),
    datacontenttype: "application/json",
    data: factsOf(notification),
  };
}

function subjectOf(notification: Notification) {
  if (isOfRuns(notification)) {
    const { cronJob, run: { jobName, endTime } } = notification;
    return { cronJob, of: "run", subject: jobName, at: endTime };
  }
  const { cronJob, trouble } = notification.troubles[0]!;
  return { cronJob, of: "cronjob", subject: cronJob.name, at: trouble.since };
}

const PREFIX = "whsec_";
/** As Standard Webhooks has it. */
const LEAST_KEY_BYTES = 24;

/**
 * Reads the keys of a file, one a line: `whsec_` and base64.
 *
 * @throws {Error} saying what is wrong, without what is in the file
 */
export function readSigningKeys(text: string): readonly Uint8Array[] {
  const lines = text.split("\n").map((line) => line.trim()).filter((line) => line !== "");
  if (lines.length === 0) throw new Error("it is empty");
  return lines.map((line, i) => {
    const where = lines.length === 1 ? "the key" : `key ${i + 1}`;
    if (!line.startsWith(PREFIX)) throw new Error(`${where} does not begin with ${PREFIX}`);
    const key = bytesOf(line.slice(PREFIX.length));
    if (key === undefined) throw new Error(`${where} is not base64 after ${PREFIX}`);
    if (key.length < LEAST_KEY_BYTES) throw new Error(`${where} has fewer than ${LEAST_KEY_BYTES} bytes`);
    return key;
  });
}

/** Returns the header `webhook-signature`: one signature for each key. */
function signaturesOf(content: string, keys: readonly Uint8Array[]): string {
  return keys.map((key) => `v1,${createHmac("sha256", key).update(content).digest("base64")}`).join(" ");
}

function bytesOf(base64: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0));
  } catch {
    return undefined;
  }
}
