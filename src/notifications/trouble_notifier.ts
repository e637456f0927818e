import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { REPORTED_TROUBLES } from "../cronjob/api/annotations.ts";
import { type CronJob, cronJobKey } from "../cronjob/api/cron_job.ts";
import { readJson } from "../cronjob/api/stored_cron_job.ts";
import { type Trouble, type TroubleKind, TROUBLES } from "../cronjob/status/troubles.ts";
import type { Clock } from "../base/clock.ts";
import type { KubeClient } from "../kube/client.ts";
import { Backoff } from "../runtime/backoff.ts";
import { Controller } from "../runtime/controller.ts";
import type { Runnable } from "../runtime/runnable.ts";
import { Waiters } from "../runtime/waiters.ts";
import { loggerFor } from "../telemetry/logging.ts";
import type { Channel, NotificationObserver } from "./channel.ts";
import { NEWS_MS } from "./next_notification.ts";
import { type Notification, notifiedCronJob, type TroubleNotification } from "./notification.ts";
import { recordReport } from "./record_report.ts";
import { AnswerError } from "./request.ts";
import type { FollowedCronJobs } from "./run_notifier.ts";

export interface TroubleNotifierOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly channel: Channel;
  /** The controllers, once they are made. */
  readonly followed: readonly Pick<FollowedCronJobs, "flavour" | "cronJobs">[];
  readonly kinds: readonly TroubleKind[];
  readonly observer?: NotificationObserver;
}

/** How long troubles of a kind are gathered before they are reported. */
const GATHER_MS = 3_000;
/** The most gathered troubles that are reported one by one; more are one notification. */
const FEW = 3;
/** The most troubles of a kind that are kept for a receiver that does not answer. */
const MOST_UNREPORTED = 10_000;
const BACKOFF = { initialMs: 2_000, maxMs: 5 * 60_000 };

/** Troubles that last: they are news until they end, however long ago they began. */
const LASTING: readonly TroubleKind[] = ["not-followed", "held", "stale"];

/** The troubles of a CronJob that were reported last, of each kind the newest, by their ids. */
interface Reported {
  readonly uid: string;
  readonly troubles: { readonly [Kind in TroubleKind]?: string };
}

interface Unreported {
  readonly cronJob: CronJob;
  readonly trouble: Trouble;
}

const logger = loggerFor("notifications");

/** Returns the kinds of notifications that are about troubles. */
export function troubleKindsOf(kinds: readonly Notification["kind"][]): readonly TroubleKind[] {
  return (Object.keys(TROUBLES) as TroubleKind[]).filter((kind) => kinds.includes(kind));
}

/**
 * Reports the troubles of CronJobs: each once, whichever process finds it, as an annotation says which were reported. A process
 * may die between the report and the annotation: then the next process reports the trouble again, under the same id. Many at a
 * time are one notification.
 */
export class TroubleNotifier implements Runnable {
  readonly name = "troubles";
  readonly #options: TroubleNotifierOptions;
  readonly #news = new Waiters();
  readonly #backoff = new Backoff<TroubleKind>(BACKOFF);
  /** By kind, and by {@linkcode keyOf}. */
  readonly #unreported: ReadonlyMap<TroubleKind, Map<string, Unreported>>;
  /** The reported troubles that no cache shows yet, by UID. */
  readonly #reported = new Map<string, Reported & { readonly cronJob: CronJob }>();
  /** Writes the annotations, by UID. */
  readonly #recording: Controller;

  constructor(options: TroubleNotifierOptions) {
    this.#options = options;
    this.#unreported = new Map(options.kinds.map((kind) => [kind, new Map()]));
    this.#recording = new Controller({
      name: "records of troubles",
      clock: options.clock,
      concurrency: 1,
      backoff: BACKOFF,
      reconcile: (uid, signal) => this.#record(uid, signal),
    });
  }

  /** Notes the troubles of a CronJob as a decision has found them. */
  note(cronJob: CronJob, troubles: readonly Trouble[]): void {
    const now = this.#options.clock.now();
    const { uid } = cronJob.metadata;
    const { troubles: reported } = this.#reportedOf(cronJob);
    for (const kind of LASTING) {
      if (!troubles.some((trouble) => trouble.kind === kind)) this.#unreported.get(kind)?.delete(uid);
    }
    for (const trouble of troubles) {
      const unreported = this.#unreported.get(trouble.kind);
      const isNews = LASTING.includes(trouble.kind) || (trouble.foundAt ?? trouble.since) > now - NEWS_MS;
      if (!unreported || !isNews || reported[trouble.kind] === trouble.id) continue;
      unreported.set(keyOf(cronJob, trouble), { cronJob, trouble });
      if (unreported.size > MOST_UNREPORTED) this.#drop([...unreported].slice(0, 1));
      this.#news.wakeAll();
    }
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([
      this.#recording.run(signal),
      ...this.#options.kinds.map((kind) => this.#reportAll(kind, signal)),
    ]);
  }

  /** Reports all troubles of a kind: no kind waits for another. */
  async #reportAll(kind: TroubleKind, signal: AbortSignal): Promise<void> {
    const unreported = this.#unreported.get(kind)!;
    while (!signal.aborted) {
      if (unreported.size === 0) {
        await this.#news.woken(signal);
        continue;
      }
      await this.#options.clock.sleep(GATHER_MS, signal).catch(() => {});
      const gathered = [...unreported];
      const together = gathered.length > FEW ? [gathered] : gathered.map((each) => [each]);
      for (const each of together) await this.#report(kind, each, signal);
    }
  }

  /** Reports troubles until the report arrives, is refused, or is no news any more. A receiver may get the same report twice. */
  async #report(
    kind: TroubleKind,
    all: readonly (readonly [key: string, Unreported])[],
    signal: AbortSignal,
  ): Promise<void> {
    const { clock, channel, observer } = this.#options;
    const unreported = this.#unreported.get(kind)!;
    const until = LASTING.includes(kind) ? Infinity : clock.now() + NEWS_MS;
    const notification = notificationOf(kind, all.map(([, each]) => each));
    while (!signal.aborted) {
      const isOver = all.every(([key, { cronJob }]) => !unreported.has(key) || !this.#current(cronJob));
      if (isOver) return all.forEach(([key]) => unreported.delete(key));
      try {
        const delivery = await channel.deliver(notification, signal);
        if (delivery !== "skipped") observer?.notified(channel.name, delivery);
        if (delivery === "sent") observer?.sent?.(cronJobKey(all[0]![1].cronJob));
        break;
      } catch (error) {
        if (signal.aborted) return;
        observer?.notified(channel.name, "failed");
        const isRefused = error instanceof AnswerError && error.isOfContent;
        logger.warn("Cannot report {detail}: {error}", { detail: notification.id, error });
        if (isRefused || clock.now() > until) return this.#drop(all);
        await clock.sleep(this.#backoff.next(kind), signal).catch(() => {});
      }
    }
    if (signal.aborted) return;
    this.#backoff.reset(kind);
    for (const [key, { cronJob, trouble }] of all) {
      if (unreported.get(key)?.trouble.id === trouble.id) unreported.delete(key);
      this.#noteReported(cronJob, trouble);
    }
  }

  #drop(all: readonly (readonly [key: string, Unreported])[]): void {
    const { channel, observer } = this.#options;
    observer?.notified(channel.name, "dropped", all.length);
    for (const [key, { cronJob, trouble }] of all) {
      this.#unreported.get(trouble.kind)!.delete(key);
      logger.warn("Dropped a report of {key}: {detail}", { key: cronJobKey(cronJob), detail: trouble.message });
      this.#noteReported(cronJob, trouble);
    }
  }

  /** Returns the CronJob as its cache has it by now; undefined once it is gone. */
  #current(cronJob: CronJob): Pick<CronJob, "metadata"> | undefined {
    const followed = this.#options.followed.find(({ flavour }) => flavour === cronJob.flavour);
    const current = followed?.cronJobs.store.get(cronJobKey(cronJob));
    return current?.metadata.uid === cronJob.metadata.uid ? current : undefined;
  }

  #noteReported(cronJob: CronJob, { kind, id }: Trouble): void {
    // Another kind may have been recorded since this trouble was found.
    const { uid, troubles } = this.#reportedOf(this.#current(cronJob) ?? cronJob);
    this.#reported.set(uid, { cronJob, uid, troubles: { ...troubles, [kind]: id } });
    this.#recording.enqueue(uid);
  }

  /** Writes the annotation that says which troubles of a CronJob were reported. */
  async #record(uid: string, signal: AbortSignal): Promise<void> {
    const { cronJob, ...reported } = this.#reported.get(uid) ?? {};
    if (!cronJob) return;
    const annotations = { [REPORTED_TROUBLES]: JSON.stringify(reported) };
    const isThere = await recordReport(this.#options.client, cronJob, annotations, { signal, lane: "housekeeping" });
    if (!isThere) this.#reported.delete(uid);
  }

  #reportedOf({ metadata: { uid, annotations } }: Pick<CronJob, "metadata">): Reported {
    // Any user who may edit the CronJob may have written the annotation; and a copy has that of another CronJob.
    const text = readJson(annotations?.[REPORTED_TROUBLES]) as Reported | undefined;
    const shown: Reported = text?.uid === uid && typeof text.troubles === "object" ? text : { uid, troubles: {} };
    const known = this.#reported.get(uid)?.troubles;
    if (isDeepStrictEqual(known, shown.troubles)) this.#reported.delete(uid);
    return { uid, troubles: { ...shown.troubles, ...known } };
  }
}

/** Returns the key of an unreported trouble. A trouble that lasts takes the place of the CronJob's former one of its kind. */
function keyOf({ metadata: { uid } }: CronJob, { kind, id }: Trouble): string {
  return LASTING.includes(kind) ? uid : `${uid} ${id}`;
}

/** Returns the notification of troubles. Its id depends on them alone, not on the process that reports them. */
function notificationOf(kind: TroubleKind, all: readonly Unreported[]): TroubleNotification {
  const texts = all.map(({ cronJob: { metadata: { uid } }, trouble: { id } }) => `${uid} ${id}`).sort();
  const digest = createHash("sha256").update([kind, ...texts].join(" ")).digest("hex").slice(0, 32);
  const troubles = all.map(({ cronJob, trouble }) => ({ cronJob: notifiedCronJob(cronJob), trouble }));
  return { kind, id: `${kind}-${digest}`, troubles };
}
