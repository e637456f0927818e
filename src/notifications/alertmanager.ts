import { Buffer } from "node:buffer";
import { type EpochMs, formatTime } from "../base/epoch_ms.ts";
import { sourceOf } from "./cloud_event.ts";
import {
  isOfRuns,
  type Notification,
  type NotifiedCronJob,
  type RunNotification,
  sentenceOf,
  stillFailing,
  type TroubleNotification,
} from "./notification.ts";
import type { OutgoingRequest } from "./request.ts";
import type { FailingCronJob, WebhookForm } from "./webhook_form.ts";

/** A `PostableAlert` of Alertmanager's API v2. */
interface Alert {
  /** The identity of the alert: the same while a CronJob fails, and when it recovers. */
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly startsAt: string;
  /** To come: it fires until then. */
  readonly endsAt: string;
  readonly generatorURL: string;
}

/** The last report of a CronJob. */
interface Said {
  readonly kind: RunNotification["kind"];
  readonly alert: Alert;
  /** Of the run that it was about. */
  readonly endTime: EpochMs;
  readonly saidAt: EpochMs;
}

/** An alert that is not repeated ends after this: Alertmanager's own `resolve_timeout`. */
const FIRES_MS = 5 * 60_000;
const AT_A_TIME = 100;
/** The name that each cluster's API server has inside of it. */
const API_SERVER = "https://kubernetes.default.svc";

/**
 * Alerts of Alertmanager's API v2, which fire while runs of a CronJob fail. Alertmanager forgets alerts that are not repeated, and
 * all alerts when it restarts.
 */
export class AlertmanagerForm implements WebhookForm {
  readonly #url: URL;
  readonly #headers: Readonly<Record<string, string>>;
  /** By UID of the CronJob. */
  readonly #said = new Map<string, Said>();

  /**
   * @param secret `USER:PASSWORD`, or a bearer token; empty: none is asked for
   * @throws {Error} saying what is wrong, without what is in the secret
   */
  constructor(server: URL, secret: string) {
    this.#url = new URL(`${server.href.replace(/\/$/, "")}/api/v2/alerts`);
    this.#headers = { "content-type": "application/json", ...authorizationOf(secret.trim()) };
  }

  requestOf(notification: Notification, now: EpochMs): OutgoingRequest {
    return isOfRuns(notification) ? this.#ofRuns(notification, now) : this.#post(troubleAlerts(notification, now));
  }

  #ofRuns(notification: RunNotification, now: EpochMs): OutgoingRequest {
    const { kind, cronJob, run, since } = notification;
    const alert: Alert = {
      ...identityOf(cronJob),
      annotations: { summary: sentenceOf(notification), description: run.message ?? "" },
      startsAt: formatTime(since),
      endsAt: formatTime(kind === "failed" ? now + FIRES_MS : run.endTime),
    };
    this.#said.set(cronJob.uid, { kind, alert, endTime: run.endTime, saidAt: now });
    return this.#post([alert]);
  }

  remindersOf(failing: readonly FailingCronJob[], now: EpochMs): readonly OutgoingRequest[] {
    this.#forget(new Set(failing.map(({ cronJob }) => cronJob.uid)), now);
    const alerts = failing.flatMap((each) => this.#reminderOf(each, now));
    const count = Math.ceil(alerts.length / AT_A_TIME);
    return Array.from({ length: count }, (_, i) => this.#post(alerts.slice(i * AT_A_TIME, (i + 1) * AT_A_TIME)));
  }

  #reminderOf({ cronJob, record }: FailingCronJob, now: EpochMs): Alert[] {
    const said = this.#said.get(cronJob.uid);
    const endsAt = formatTime(now + FIRES_MS);
    // Of another leader's, the record alone is known.
    const isNewest = said !== undefined && said.endTime >= (record.failures[0]?.endTime ?? -Infinity);
    if (isNewest) return said.kind === "failed" ? [{ ...said.alert, endsAt }] : [];
    const first = record.failures.slice(0, record.inARow).at(-1);
    return [{
      ...identityOf(cronJob),
      annotations: { summary: stillFailing(cronJob, record.inARow), description: "" },
      startsAt: formatTime(first?.endTime ?? record.toldAt),
      endsAt,
    }];
  }

  /** The newest report may not be recorded yet. */
  #forget(failing: ReadonlySet<string>, now: EpochMs): void {
    for (const [uid, { saidAt }] of this.#said) {
      if (!failing.has(uid) && saidAt < now - FIRES_MS) this.#said.delete(uid);
    }
  }

  #post(alerts: readonly Alert[]): OutgoingRequest {
    return { url: this.#url, headers: this.#headers, body: JSON.stringify(alerts) };
  }
}

/**
 * A trouble is reported once, and its alert ends by itself: metrics show which troubles last. Alertmanager groups the alerts of a
 * storm.
 */
function troubleAlerts({ kind, id, troubles }: TroubleNotification, now: EpochMs): Alert[] {
  return troubles.map(({ cronJob, trouble }) => {
    const { labels, generatorURL } = identityOf(cronJob);
    return {
      labels: { ...labels, alertname: "CronJobTrouble", trouble: kind },
      annotations: {
        summary: sentenceOf({ kind, id, troubles: [{ cronJob, trouble }] }),
        description: trouble.message,
      },
      startsAt: formatTime(trouble.since),
      endsAt: formatTime(now + FIRES_MS),
      generatorURL,
    };
  });
}

function identityOf(cronJob: NotifiedCronJob): Pick<Alert, "labels" | "generatorURL"> {
  const { apiVersion: api_version, namespace, name: cronjob } = cronJob;
  return {
    labels: { alertname: "CronJobRunFailed", severity: "warning", api_version, namespace, cronjob },
    generatorURL: API_SERVER + sourceOf(cronJob),
  };
}

function authorizationOf(secret: string): Record<string, string> {
  if (secret === "") return {};
  if (secret.includes(":")) return { authorization: `Basic ${Buffer.from(secret).toString("base64")}` };
  // An error about a header quotes its value.
  if (!/^[\x21-\x7e]+$/.test(secret)) throw new Error("a bearer token is one line without spaces, in ASCII");
  return { authorization: `Bearer ${secret}` };
}
