import { NOTIFIED } from "../cronjob/api/annotations.ts";
import { type CronJob, cronJobKey } from "../cronjob/api/cron_job.ts";
import type { Child } from "../cronjob/api/job.ts";
import type { ChildCache } from "../cronjob/child_cache.ts";
import type { CronJobController } from "../cronjob/controller.ts";
import type { KubeClient } from "../kube/client.ts";
import { makeKey, type ObjectKey } from "../kube/object.ts";
import type { Clock } from "../base/clock.ts";
import { Controller, type ReconcileResult } from "../runtime/controller.ts";
import type { Runnable } from "../runtime/runnable.ts";
import type { Change } from "../runtime/store.ts";
import { type StandByOptions, takeOver } from "../runtime/take_over.ts";
import { earliest, type EpochMs, parseTime } from "../base/epoch_ms.ts";
import { loggerFor } from "../telemetry/logging.ts";
import type { Channel, NotificationObserver } from "./channel.ts";
import { type EndedRun, endedRunOf, type RunHistory } from "./ended_run.ts";
import { isUnreportedFailure, NEWS_MS, nextNotification } from "./next_notification.ts";
import { notifiedCronJob } from "./notification.ts";
import { readNotified } from "./notified_record.ts";
import { recordReport } from "./record_report.ts";
import { UntoldRuns } from "./untold_runs.ts";

/** The CronJobs of one flavour that this process runs. */
export type FollowedCronJobs = Pick<CronJobController, "flavour" | "cronJobs" | "health" | "isOurs">;

export interface RunNotifierOptions extends StandByOptions {
  /** In metrics and logs. @default {"notifications"} */
  readonly name?: string;
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly jobs: ChildCache;
  /** The controllers, once they are made. */
  readonly followed: readonly FollowedCronJobs[];
  readonly channel: Channel;
  /** The shortest time between two notifications of failures of one CronJob. */
  readonly intervalMs: number;
  /** Absent: Jobs alone say what has failed. */
  readonly history?: RunHistory;
  readonly observer?: NotificationObserver;
}

/** Deliveries under way at a time. */
const IN_FLIGHT = 2;
/** The time between two looks whether this process leads again. */
const IN_DOUBT_MS = 5_000;
const BACKOFF = { initialMs: 2_000, maxMs: 5 * 60_000 };

const logger = loggerFor("notifications");

/**
 * Reports to a channel which runs failed, and when they succeed again.
 *
 * The notifier knows runs by the present Jobs and by the remembered ones, and reports by an annotation of their CronJob that
 * records them: so each failure is reported at least once, whatever dies between its end and the record, and under the same id
 * if it is reported again. Its queue and workers are its own, so that reports hold up no start of a run.
 *
 * ### Caveats
 * Where nothing is remembered, a Job that is deleted before its failure was reported is known to this process alone.
 */
export class RunNotifier implements Runnable {
  readonly name: string;
  readonly #options: RunNotifierOptions;
  readonly #controller: Controller;
  /** The runs to report, by the UID of their CronJob. */
  readonly #untold = new Map<string, UntoldRuns>();

  constructor(options: RunNotifierOptions) {
    this.#options = options;
    this.name = options.name ?? "notifications";
    this.#controller = new Controller({
      name: this.name,
      clock: options.clock,
      concurrency: IN_FLIGHT,
      isStrict: true,
      backoff: BACKOFF,
      observer: options.controllerObserver,
      drainMs: options.drainMs,
      reconcile: (key, signal) => this.#reconcile(key, signal),
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    const { jobs, followed, leading } = this.#options;
    // By then each cached CronJob has the last record of a former leader.
    const caches = [...followed.map(({ cronJobs }) => cronJobs), jobs];
    if (!await takeOver<typeof caches[number]>(caches, { leading, signal })) return;
    using subscriptions = new DisposableStack();
    subscriptions.use(jobs.onChange((change) => this.#jobChanged(change)));
    let isReplay = true;
    for (const each of followed) {
      subscriptions.use(each.cronJobs.onChange(({ type, object: { metadata: { uid } } }) => {
        if (type === "deleted") this.#untold.delete(uid);
        // The caches follow streams of their own: a Job may have ended before its CronJob was seen.
        else if (type === "added" && !isReplay) jobs.store.byIndex("owner", uid).forEach((job) => this.#noteEnd(job));
      }));
    }
    isReplay = false;
    this.#noteRemembered();
    await this.#controller.run(signal);
  }

  #jobChanged({ type, object, previous }: Change<Child>): void {
    if (type !== "deleted" && previous?.state !== object.state) this.#noteEnd(object);
  }

  #noteEnd(job: Child): void {
    const run = endedRunOf(job);
    const cronJob = run && this.#ownerOf(job);
    if (cronJob) this.#note(run, cronJob);
  }

  /** Takes up the failures of Jobs that are gone and that a former process has not reported. */
  #noteRemembered(): void {
    const { history, followed, clock, jobs } = this.#options;
    // Present Jobs are noted already.
    const isThere = new Set(Array.from(jobs.store.values(), ({ metadata: { uid } }) => uid));
    for (const run of history?.failuresSince(clock.now() - NEWS_MS) ?? []) {
      const { cronJob: whose, createdAt } = run;
      const of = followed.find(({ flavour }) => flavour.apiVersion === whose.apiVersion);
      const cronJob = of?.cronJobs.store.get(makeKey(whose.namespace, whose.name));
      // A former CronJob may have had its name.
      const isItsOwn = cronJob && createdAt >= (parseTime(cronJob.metadata.creationTimestamp) ?? 0);
      if (isItsOwn && of!.isOurs(cronJob) && !isThere.has(run.uid)) this.#note(run, cronJob);
    }
  }

  /** Has a run reported that is over, if that is news. */
  #note(run: EndedRun, cronJob: CronJob): void {
    const { uid } = cronJob.metadata;
    const known = this.#untold.get(uid);
    const record = known?.record ?? readNotified(cronJob);
    const isNews = run.outcome === "failed"
      ? isUnreportedFailure(run, record, this.#options.clock.now())
      : known !== undefined || (record?.inARow ?? 0) > 0;
    if (!isNews) return;
    const untold = known ?? new UntoldRuns(uid, record);
    this.#untold.set(uid, untold);
    untold.add(run);
    this.#controller.enqueue(cronJobKey(cronJob));
  }

  #ownerOf({ owner, metadata: { namespace } }: Child): CronJob | undefined {
    const of = owner && this.#options.followed.find(({ flavour }) => flavour === owner.flavour);
    const cronJob = of?.cronJobs.store.get(makeKey(namespace, owner!.name));
    return cronJob?.metadata.uid === owner?.uid && cronJob && of!.isOurs(cronJob) ? cronJob : undefined;
  }

  async #reconcile(key: ObjectKey, signal: AbortSignal): Promise<ReconcileResult> {
    let requeueAt: EpochMs | undefined;
    for (const followed of this.#options.followed) {
      const cronJob = followed.cronJobs.store.get(key);
      const untold = cronJob && this.#untold.get(cronJob.metadata.uid);
      if (!untold) continue;
      if (!followed.isOurs(cronJob)) this.#untold.delete(cronJob.metadata.uid);
      else requeueAt = earliest(requeueAt, await this.#tell(cronJob, untold, signal));
    }
    return { requeueAt };
  }

  /** Reports all that can be reported by now. Returns when there is more to report. */
  async #tell(cronJob: CronJob, untold: UntoldRuns, signal: AbortSignal): Promise<EpochMs | undefined> {
    const { clock, channel, intervalMs, jobs, leading, observer, history } = this.#options;
    const { uid, annotations } = cronJob.metadata;
    const whose = notifiedCronJob(cronJob);
    for (;;) {
      if (signal.aborted) return undefined;
      // This process ends soon, or its Lease turns out to be its own still.
      if (leading?.isLeader === false) return clock.now() + IN_DOUBT_MS;
      if (untold.isUnrecorded && !await this.#record(cronJob, untold, signal)) return undefined;
      const now = clock.now();
      const dropped = untold.dropStale(now);
      if (dropped > 0) {
        observer?.notified(channel.name, "dropped", dropped);
        logger.warn("{count} runs of {key} are not reported: they are a day old, or too many", {
          count: dropped,
          key: cronJobKey(cronJob),
        });
      }
      const next = untold.attempted ?? nextNotification({
        cronJob: whose,
        history: history?.endedRunsOf(whose, cronJob.createdAt ?? 0),
        record: untold.record,
        // Each failure was noted as it came; of successes only those that were news then.
        ended: untold.with(
          jobs.store.byIndex("owner", uid).flatMap((child) =>
            child.state === "succeeded" ? endedRunOf(child) ?? [] : []
          ),
        ),
        now,
        intervalMs,
      });
      if (next.kind === "wait") {
        if (untold.waitsUntil !== next.until) observer?.waits?.(cronJobKey(cronJob), next.until);
        untold.waitsUntil = next.until;
        return next.until;
      }
      if (next.kind === "none") {
        // The cache may not show the record yet.
        if (!untold.isFailing && annotations?.[NOTIFIED] === untold.recordText) this.#untold.delete(uid);
        return undefined;
      }
      // The same notification is sent until one attempt succeeds, as a receiver may have it already.
      untold.attempted = next;
      try {
        const delivery = await channel.deliver(next.notification, signal);
        if (delivery !== "skipped") observer?.notified(channel.name, delivery);
        if (delivery === "sent") observer?.sent?.(cronJobKey(cronJob));
      } catch (error) {
        if (!signal.aborted) observer?.notified(channel.name, "failed");
        throw error;
      }
      untold.told(next);
    }
  }

  /** Returns whether the CronJob is still there. */
  async #record(cronJob: CronJob, untold: UntoldRuns, signal: AbortSignal): Promise<boolean> {
    const annotations = { [NOTIFIED]: untold.recordText };
    const isThere = await recordReport(this.#options.client, cronJob, annotations, { signal });
    untold.isUnrecorded = false;
    if (!isThere) this.#untold.delete(cronJob.metadata.uid);
    return isThere;
  }
}
