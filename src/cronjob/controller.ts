import type { KubeClient } from "../kube/client.ts";
import { type DeepReadonly, keyOf, type ObjectKey } from "../kube/object.ts";
import { apiVersionOf, type Job, JOBS } from "../kube/resource.ts";
import type { Clock } from "../runtime/clock.ts";
import { Controller, type ControllerObserver, readyOrAborted } from "../runtime/controller.ts";
import type { EventSink } from "../runtime/event_recorder.ts";
import { informerChecks, queueChecks } from "../runtime/health.ts";
import { Informer } from "../runtime/informer.ts";
import type { Runnable } from "../runtime/runnable.ts";
import { type Leading, takeOver } from "../runtime/take_over.ts";
import { type EpochMs, formatTime } from "../schedule/epoch_ms.ts";
import { type Logger, loggerFor } from "../telemetry/logging.ts";
import type { CronJobApi } from "./api/flavour.ts";
import type { RunNotice } from "./status/events.ts";
import type { CronJobName, CronJobObserver } from "./observer.ts";
import { ownerOf } from "./decision/ownership.ts";
import { Reconciler } from "./reconciler.ts";
import { isManaged } from "./api/stewardship.ts";
import type { CronJobReport } from "./status/report.ts";
import type { CronJobObject } from "./api/types.ts";

export interface CronJobControllerOptions {
  client: KubeClient;
  clock: Clock;
  api: CronJobApi;
  recorder: EventSink;
  /** @default all */
  namespaces?: readonly string[];
  /**
   * CronJobs worked on at a time. With many, the Jobs of all that are due are created before any other writing: how many
   * requests leave at once is the client's business.
   * @default {1000}
   */
  concurrentSyncs?: number;
  /** Absent: it works as soon as its caches are filled. */
  leading?: Leading;
  /** Of a flavour that can be adopted, only those that are: nothing else is so much as kept in memory. @default {false} */
  managedOnly?: boolean;
  /** Keeps the next run in an annotation where the status has no room for it. @default {false} */
  annotateNextRun?: boolean;
  /** Is told when a run starts, ends or is refused. Must not throw. */
  onRun?: (event: RunEvent) => void;
  observer?: CronJobObserver;
  controllerObserver?: ControllerObserver;
  /** How long work under way may go on after the end was asked for. @default {5_000} */
  drainMs?: number;
  logger?: Logger;
}

/** A run that started, ended or was refused, of which CronJob. */
export interface RunEvent extends RunNotice {
  readonly cronJob: ObjectKey;
  readonly apiVersion: string;
  /** How late it started, against its scheduled time. */
  readonly startDelayMs?: number;
}

/** Runs the CronJobs of one flavour: keeps a cache of them and of their Jobs, and looks at each that changes or is due. */
export function createCronJobController(options: CronJobControllerOptions): Runnable {
  const { client, clock, api, namespaces, observer } = options;
  const logger = options.logger ?? loggerFor("cronjob");
  const apiVersion = apiVersionOf(api.resource);
  const isOurs = options.managedOnly && api.adoptable ? isManaged : () => true;
  const jobs = new Informer<Job, "owner">({
    client,
    clock,
    resource: JOBS,
    namespaces,
    indexes: { owner: (job) => [ownerOf(api, job)?.uid].filter((uid) => uid !== undefined) },
    transform: withoutSpec,
  });
  const cronJobs = new Informer<CronJobObject>({
    client,
    clock,
    resource: api.resource,
    namespaces,
    transform: (cronJob) => {
      const kept = isOurs(cronJob) ? cronJob : stubOf(cronJob);
      // The items of a list of Kubernetes' own kinds don't say what they are, and the tutorial's kind may lack a spec.
      return { ...kept, spec: kept.spec ?? {}, apiVersion, kind: api.resource.kind };
    },
  });
  /** UIDs of adopted CronJobs that another runs all the same. */
  const contested = new Set<string>();
  const reconciler = new Reconciler({
    ...options,
    cronJobs: cronJobs.store,
    jobs: jobs.store,
    isOurs,
    onRun: (run, cronJob) => tell(run, cronJob),
    onReport: (report, cronJob) => observe(report, cronJob),
  });
  /** What this process does: nothing but to watch; to start what is due and can wait for nothing; or everything. */
  let stage: "none" | "due" | "full" = "none";
  const begun = Promise.withResolvers<void>();
  const controller = new Controller({
    name: api.controllerName,
    clock,
    reconcile: (key, signal, { ending }) =>
      stage === "full" ? reconciler.reconcile(key, signal, { ending }) : reconciler.startDue(key, signal, { ending }),
    concurrency: options.concurrentSyncs ?? 1000,
    backoff: { initialMs: 20, maxMs: 10_000 },
    waitFor: [{ ready: () => begun.promise }],
    observer: options.controllerObserver,
    drainMs: options.drainMs,
  });

  function tell(run: RunNotice, cronJob: DeepReadonly<CronJobObject>): void {
    const key = keyOf(cronJob);
    const { outcome, jobName, scheduledTime, reason } = run;
    const properties = {
      key,
      apiVersion,
      job: jobName,
      scheduledTime: scheduledTime === undefined ? undefined : formatTime(scheduledTime),
      reason,
    };
    if (outcome === "started") logger.info("Started a run of {key}", properties);
    else if (outcome === "succeeded") logger.info("A run of {key} succeeded", properties);
    else if (outcome === "failed") logger.info("A run of {key} failed", properties);
    else logger.info("Skipped a run of {key}: {reason}", properties);
    const startDelayMs = outcome === "started" && scheduledTime !== undefined ? clock.now() - scheduledTime : undefined;
    options.onRun?.({ ...run, cronJob: key, apiVersion, startDelayMs });
    if (startDelayMs !== undefined) observer?.jobCreated?.({ skewSeconds: Math.max(0, startDelayMs) / 1_000 });
    if (outcome !== "succeeded" && outcome !== "failed" || !exists(cronJob)) return;
    observer?.run?.(nameOf(cronJob), {
      outcome: outcome === "succeeded" ? "Succeeded" : "Failed",
      trigger: scheduledTime === undefined ? "Manual" : "Schedule",
    });
  }

  function observe({ state, refused, passedOver }: CronJobReport, cronJob: DeepReadonly<CronJobObject>): void {
    if (!exists(cronJob)) return;
    const name = nameOf(cronJob);
    if (contested.has(cronJob.metadata.uid) !== (state.isContested ?? false)) tellOfContest(cronJob, state);
    if (!observer) return;
    for (const { outcome, scheduledTime } of refused) {
      const trigger = scheduledTime === undefined ? "Manual" : "Schedule";
      if (outcome === "Skipped") observer.run?.(name, { outcome, trigger });
      else observer.missed?.(name, { reason: "MissSchedule", count: 1 });
    }
    if (passedOver > 0) observer.missed?.(name, { reason: "PassedOver", count: passedOver });
    observer.looked?.(name, state);
  }

  function tellOfContest(cronJob: DeepReadonly<CronJobObject>, { isContested }: CronJobReport["state"]): void {
    const properties = { key: keyOf(cronJob), apiVersion };
    if (isContested) {
      contested.add(cronJob.metadata.uid);
      logger.warn("Leaving {key} alone: it is adopted, but spec.suspend is not true, so another runs it", properties);
    } else {
      contested.delete(cronJob.metadata.uid);
      logger.info("Running {key} again: its spec.suspend is true again", properties);
    }
  }

  /** A look may end after its CronJob was deleted, or given away. */
  function exists(cronJob: DeepReadonly<CronJobObject>): boolean {
    const cached = cronJobs.store.get(keyOf(cronJob));
    return cached?.metadata.uid === cronJob.metadata.uid && isOurs(cached);
  }

  function nameOf({ metadata: { namespace = "", name } }: DeepReadonly<CronJobObject>): CronJobName {
    return { apiVersion, namespace, name };
  }

  function forget(cronJob: DeepReadonly<CronJobObject>): void {
    reconciler.forget(cronJob.metadata.uid);
    contested.delete(cronJob.metadata.uid);
    observer?.gone?.(nameOf(cronJob));
  }

  /** When each CronJob will have to be looked at, as long as not all of them are looked at. */
  const foreseen = new Map<ObjectKey, EpochMs>();

  function foresee(cronJob: DeepReadonly<CronJobObject>): void {
    const key = keyOf(cronJob);
    const at = reconciler.foresee(cronJob);
    if (at === undefined) {
      foreseen.delete(key);
      return;
    }
    foreseen.set(key, at);
    if (stage === "due") controller.enqueueAt(key, at);
  }

  cronJobs.onChange(({ type, object, previous }) => {
    const key = keyOf(object);
    if (type === "deleted") {
      foreseen.delete(key);
      return forget(object);
    }
    if (previous && (previous.metadata.uid !== object.metadata.uid || !isOurs(object))) forget(previous);
    if (!isOurs(object)) foreseen.delete(key);
    else if (stage === "full") controller.enqueue(key);
    else foresee(object);
  });
  jobs.onChange(({ type, object, previous }) => {
    reconciler.sawJob(object, type === "deleted");
    if (stage !== "full") return;
    for (const name of new Set([ownerOf(api, object)?.name, previous && ownerOf(api, previous)?.name])) {
      if (!name) continue;
      const key = keyOf({ metadata: { name, namespace: object.metadata.namespace } });
      const cronJob = cronJobs.store.get(key);
      if (!cronJob || isOurs(cronJob)) controller.enqueue(key);
    }
  });

  function beginWithDue(): void {
    stage = "due";
    for (const [key, at] of foreseen) controller.enqueueAt(key, at);
    begun.resolve();
  }

  /** Looks at all, those first that are due. */
  function beginWithAll(): void {
    stage = "full";
    for (const cronJob of cronJobs.store.values()) {
      const key = keyOf(cronJob);
      const at = foreseen.get(key);
      if (at !== undefined && at <= clock.now()) controller.enqueueAt(key, at);
      else if (isOurs(cronJob)) controller.enqueue(key);
    }
    foreseen.clear();
    begun.resolve();
  }

  return {
    name: controller.name,
    async run(signal) {
      const begin = async () => {
        const { leading } = options;
        const onFresh = (cache: unknown) => cache === cronJobs && beginWithDue();
        if (!await takeOver<typeof jobs | typeof cronJobs>([cronJobs, jobs], { leading, signal, onFresh })) return;
        const count = cronJobs.store.size;
        if (leading) logger.info("Took over {count} CronJobs", { count, apiVersion });
        beginWithAll();
      };
      // Jobs first: a list of CronJobs that is older than that of the Jobs could lack the last run of a Job cleaned up since.
      const followCronJobs = async () => {
        if (await readyOrAborted([jobs], signal)) await cronJobs.run(signal);
      };
      await Promise.all([jobs.run(signal), followCronJobs(), begin(), controller.run(signal)]);
    },
    ready: () => cronJobs.ready(),
    health: [...informerChecks(cronJobs), ...informerChecks(jobs), ...queueChecks(controller)],
  };
}

/** What is left of a CronJob that is none of ours: that it is there. */
function stubOf(
  { metadata: { name, namespace, uid, resourceVersion, creationTimestamp } }: CronJobObject,
): CronJobObject {
  return { metadata: { name, namespace, uid, resourceVersion, creationTimestamp } } as CronJobObject;
}

/** Nobody reads the specs of Jobs here, and they are most of the bytes. */
function withoutSpec({ metadata, status }: Job): Job {
  const { managedFields: _, ...rest } = metadata;
  return { apiVersion: apiVersionOf(JOBS), kind: JOBS.kind, metadata: rest, status } as Job;
}
