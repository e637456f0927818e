import { createHash } from "node:crypto";
import { REPORTED_TROUBLES } from "../cronjob/api/annotations.ts";
import { type CronJob, cronJobKey } from "../cronjob/api/cron_job.ts";
import { readJson } from "../cronjob/api/stored_cron_job.ts";
import { type Trouble, type TroubleKind, TROUBLES } from "../cronjob/status/troubles.ts";
import type { Clock } from "../base/clock.ts";
import { ApiError } from "../kube/api_error.ts";
import type { KubeClient } from "../kube/client.ts";
import { Backoff } from "../runtime/backoff.ts";
import type { Runnable } from "../runtime/runnable.ts";
import { Waiters } from "../runtime/waiters.ts";
import { loggerFor } from "../telemetry/logging.ts";
import type { Channel, NotificationObserver } from "./channel.ts";
import { NEWS_MS } from "./next_notification.ts";
import { type Notification, notifiedCronJob, type TroubleNotification } from "./notification.ts";

export interface TroubleNotifierOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly channel: Channel;
  /** Kinds of others things than troubles count for nothing. */
  readonly kinds: readonly Notification["kind"][];
  readonly observer?: NotificationObserver;
}

/** Troubles of a kind that begin within so long are reported together. */
const GATHER_MS = 3_000;
/** So many at most are reported one by one. */
const FEW = 3;
/** A notification names so many CronJobs. */
const NAMED = 10;
const BACKOFF = { initialMs: 2_000, maxMs: 5 * 60_000 };
const FIELD_MANAGER = "cronjob-controller-notifications";

/** Troubles that last: they are news however long ago they began. */
const LASTING: readonly TroubleKind[] = ["not-followed", "held", "stale"];

type Reported = { readonly [Kind in TroubleKind]?: string };

interface Unreported {
  readonly cronJob: CronJob;
  readonly trouble: Trouble;
}

const logger = loggerFor("notifications");

/**
 * Reports of the troubles of CronJobs: each once, whichever process finds it, as an annotation says which were reported. Between
 * the report and the annotation a process may die: then the next one reports it under the same id. Many at a time are one
 * notification.
 */
export class TroubleNotifier implements Runnable {
  readonly name = "troubles";
  readonly #options: TroubleNotifierOptions;
  readonly #kinds: readonly TroubleKind[];
  readonly #waiters = new Waiters();
  readonly #backoff = new Backoff<TroubleKind>(BACKOFF);
  /** By kind, and by UID of the CronJob. */
  readonly #unreported = new Map<TroubleKind, Map<string, Unreported>>();
  /** By UID: what was reported, and no cache shows yet. */
  readonly #reported = new Map<string, Reported>();

  constructor(options: TroubleNotifierOptions) {
    this.#options = options;
    this.#kinds = (Object.keys(TROUBLES) as TroubleKind[]).filter((kind) => options.kinds.includes(kind));
  }

  /** Takes up the troubles of a CronJob as a decision has found them. */
  note(cronJob: CronJob, troubles: readonly Trouble[]): void {
    const { clock } = this.#options;
    const reported = this.#reportedOf(cronJob);
    for (const trouble of troubles) {
      const isNews = LASTING.includes(trouble.kind) || trouble.since > clock.now() - NEWS_MS;
      if (!this.#kinds.includes(trouble.kind) || !isNews || reported[trouble.kind] === trouble.id) continue;
      const unreported = this.#unreported.getOrInsertComputed(trouble.kind, () => new Map());
      unreported.set(cronJob.metadata.uid, { cronJob, trouble });
      this.#waiters.wakeAll();
    }
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#kinds.map((kind) => this.#reportAll(kind, signal)));
  }

  /** No kind waits for another. */
  async #reportAll(kind: TroubleKind, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    while (!signal.aborted) {
      const unreported = this.#unreported.get(kind);
      if (!unreported || unreported.size === 0) {
        await this.#waiters.woken(signal);
        continue;
      }
      await clock.sleep(GATHER_MS, signal).catch(() => {});
      const gathered = [...unreported.values()];
      const together = gathered.length > FEW ? [gathered] : gathered.map((each) => [each]);
      for (const each of together) await this.#report(kind, each, signal);
    }
  }

  /** Reports it until it arrives: a receiver may have it already. */
  async #report(kind: TroubleKind, all: readonly Unreported[], signal: AbortSignal): Promise<void> {
    const { clock, channel, observer } = this.#options;
    const notification = notificationOf(kind, all);
    while (!signal.aborted) {
      try {
        const delivery = await channel.deliver(notification, signal);
        if (delivery !== "skipped") observer?.notified(channel.name, delivery);
        break;
      } catch (error) {
        if (signal.aborted) return;
        observer?.notified(channel.name, "failed");
        const delayMs = this.#backoff.next(kind);
        logger.warn("Cannot report {detail}, trying again: {error}", { detail: notification.id, error });
        await clock.sleep(delayMs, signal).catch(() => {});
      }
    }
    if (signal.aborted) return;
    this.#backoff.reset(kind);
    const unreported = this.#unreported.get(kind)!;
    for (const { cronJob: { metadata: { uid } }, trouble } of all) {
      if (unreported.get(uid)?.trouble.id === trouble.id) unreported.delete(uid);
    }
    await Promise.all(all.map(({ cronJob, trouble }) => this.#record(cronJob, trouble, signal)));
  }

  async #record(cronJob: CronJob, { kind, id }: Trouble, signal: AbortSignal): Promise<void> {
    const { uid, namespace, name } = cronJob.metadata;
    const reported = { ...this.#reportedOf(cronJob), [kind]: id };
    this.#reported.set(uid, reported);
    const body = { metadata: { uid, annotations: { [REPORTED_TROUBLES]: JSON.stringify(reported) } } };
    const options = { fieldManager: FIELD_MANAGER, signal, lane: "housekeeping" } as const;
    try {
      await this.#options.client.patch(cronJob.flavour.resource, { namespace, name }, { type: "merge", body }, options);
    } catch (error) {
      // It is gone, or another one has its name.
      if (signal.aborted || (error instanceof ApiError && (error.isNotFound || error.isConflict))) return;
      logger.warn("Cannot record what was reported of {key}, so that a new leader reports it again: {error}", {
        key: cronJobKey(cronJob),
        error,
      });
    }
  }

  #reportedOf({ metadata: { uid, annotations } }: CronJob): Reported {
    // Anyone may have written it who may edit the CronJob.
    const recorded = readJson(annotations?.[REPORTED_TROUBLES]);
    return { ...typeof recorded === "object" ? recorded : {}, ...this.#reported.get(uid) };
  }
}

/** The same troubles have the same id, in whichever order and by whichever process they are reported. */
function notificationOf(kind: TroubleKind, all: readonly Unreported[]): TroubleNotification {
  const texts = all.map(({ cronJob, trouble }) => `${cronJob.metadata.uid} ${trouble.id}`).sort();
  const digest = createHash("sha256").update([kind, ...texts].join(" ")).digest("hex").slice(0, 32);
  return {
    kind,
    id: `${kind}-${digest}`,
    count: all.length,
    cronJobs: all.slice(0, NAMED).map(({ cronJob }) => notifiedCronJob(cronJob)),
    trouble: all[0]!.trouble,
  };
}
