import type { ObjectReference } from "kubernetes-types/core/v1";
import { BATCH } from "../../src/cronjob/api/flavour.ts";
import type { CronJobObject, CronJobStatus } from "../../src/cronjob/api/types.ts";
import { ApiError } from "../../src/kube/api_error.ts";
import type { KubeClient } from "../../src/kube/client.ts";
import { controllerOf, type DeepReadonly, keyOf, type Unstored } from "../../src/kube/object.ts";
import { type Job, JOBS } from "../../src/kube/resource.ts";
import { type EpochMs, formatTime, parseTime } from "../../src/base/epoch_ms.ts";
import { parseSchedule } from "../../src/schedule/parse_schedule.ts";

/** What it saw at some time. */
export interface UpstreamView {
  readonly cronJobs: readonly DeepReadonly<CronJobObject>[];
  readonly jobs: readonly DeepReadonly<Job>[];
}

/** Something that it did to a CronJob or one of its Jobs, or said about it. */
export interface UpstreamDeed {
  readonly cronJob: string;
  readonly what:
    | "created"
    | "deleted"
    | "status"
    | "UnexpectedJob"
    | "MissingJob"
    | "SawCompletedJob"
    | "JobAlreadyActive"
    | "MissSchedule";
  readonly jobName?: string;
}

/**
 * Does to CronJobs what was measured of kube-controller-manager 1.36, in its order: cleans up by the history limits, keeps
 * `status.active` and `lastSuccessfulTime`, and starts the latest missed run of what is not suspended. It counts Jobs by
 * the owner reference that says `controller: true` alone; one that `status.active` lists and that only has the CronJob as
 * an owner it leaves where it is, as long as it exists.
 */
export class UpstreamCronJobController {
  readonly deeds: UpstreamDeed[] = [];

  constructor(readonly client: KubeClient, readonly now: () => EpochMs) {}

  /** Looks at every CronJob of the namespace, as it is now. */
  async sync(namespace = "default"): Promise<void> {
    const view = await this.look(namespace);
    for (const cronJob of view.cronJobs) await this.syncOne(cronJob, view.jobs);
  }

  async look(namespace = "default"): Promise<UpstreamView> {
    const { items: cronJobs } = await this.client.list(BATCH.resource, { namespace });
    const { items: jobs } = await this.client.list(JOBS, { namespace });
    return { cronJobs, jobs };
  }

  /** What is seen may be of any time before. */
  async syncOne(cronJob: DeepReadonly<CronJobObject>, allJobs: readonly DeepReadonly<Job>[]): Promise<void> {
    // By name, as there: the UID only counts for what another client created.
    let jobs = allJobs.filter((job) =>
      job.metadata.namespace === cronJob.metadata.namespace && controllerOf(job)?.name === cronJob.metadata.name
    );
    const status = structuredClone(cronJob.status ?? {}) as CronJobStatus;
    const deleted = await this.#cleanUp(cronJob, jobs, status);
    jobs = jobs.filter((job) => !deleted.has(job.metadata.uid));
    await this.#followJobs(cronJob, jobs, status);
    if (cronJob.metadata.deletionTimestamp === undefined && cronJob.spec.suspend !== true) {
      await this.#start(cronJob, status);
    }
    if (JSON.stringify(status) === JSON.stringify(cronJob.status ?? {})) return;
    try {
      await this.client.replace(BATCH.resource, { ...cronJob, status } as CronJobObject, { subresource: "status" });
      this.#did(cronJob, "status");
    } catch (error) {
      // Another look follows.
      if (!(error instanceof ApiError && (error.isConflict || error.isNotFound))) throw error;
    }
  }

  async #cleanUp(
    cronJob: DeepReadonly<CronJobObject>,
    jobs: readonly DeepReadonly<Job>[],
    status: CronJobStatus,
  ): Promise<Set<string>> {
    const { successfulJobsHistoryLimit, failedJobsHistoryLimit } = cronJob.spec;
    const deleted = new Set<string>();
    for (const [condition, limit] of [["Complete", successfulJobsHistoryLimit], ["Failed", failedJobsHistoryLimit]]) {
      if (limit === undefined || limit === null) continue;
      const ended = jobs
        .filter((job) => job.status?.conditions?.some(({ type, status }) => type === condition && status === "True"))
        .toSorted((a, b) =>
          (parseTime(a.status?.startTime) ?? Infinity) - (parseTime(b.status?.startTime) ?? Infinity)
        );
      for (const job of ended.slice(0, Math.max(0, ended.length - Number(limit)))) {
        await this.#delete(cronJob, job.metadata.name);
        forget(status, job.metadata.uid);
        deleted.add(job.metadata.uid);
      }
    }
    return deleted;
  }

  async #followJobs(
    cronJob: DeepReadonly<CronJobObject>,
    jobs: readonly DeepReadonly<Job>[],
    status: CronJobStatus,
  ): Promise<void> {
    for (const job of jobs) {
      const { name, uid } = job.metadata;
      const isListed = status.active?.some((reference) => reference.uid === uid) ?? false;
      const hasEnded = isFinished(job);
      if (!isListed && !hasEnded) {
        const { status: newest } = await this.client.get(BATCH.resource, cronJob.metadata);
        if (!newest?.active?.some((reference) => reference.uid === uid)) {
          this.#did(cronJob, "UnexpectedJob", name);
        }
      } else if (isListed && hasEnded) {
        forget(status, uid);
        this.#did(cronJob, "SawCompletedJob", name);
      } else if (hasEnded && job.status?.completionTime) {
        const end = parseTime(job.status.completionTime)!;
        if (end > (parseTime(status.lastSuccessfulTime) ?? -Infinity)) status.lastSuccessfulTime = formatTime(end);
      }
    }
    const own = new Set(jobs.map(({ metadata }) => metadata.uid));
    for (const { name, uid } of [...status.active ?? []]) {
      if (own.has(uid!) || await this.#find(cronJob, name!)) continue;
      this.#did(cronJob, "MissingJob", name);
      forget(status, uid!);
    }
  }

  async #start(cronJob: DeepReadonly<CronJobObject>, status: CronJobStatus): Promise<void> {
    const { schedule, timeZone, startingDeadlineSeconds, concurrencyPolicy } = cronJob.spec;
    const last = parseTime(status.lastScheduleTime);
    const earliest = last ?? parseTime(cronJob.metadata.creationTimestamp)!;
    const slot = parseSchedule(schedule, { timeZone: timeZone ?? undefined }).anchoredAt(earliest).previous(
      this.now() + 1,
    );
    if (slot === undefined || slot <= earliest) return;
    if (startingDeadlineSeconds !== undefined && startingDeadlineSeconds !== null) {
      if (slot + startingDeadlineSeconds * 1000 < this.now()) return this.#did(cronJob, "MissSchedule");
    }
    const name = `${cronJob.metadata.name}-${Math.floor(slot / 60_000)}`;
    const active = status.active ?? [];
    if (active.some((reference) => reference.name === name)) return;
    if (concurrencyPolicy === "Forbid" && active.length > 0) return this.#did(cronJob, "JobAlreadyActive");
    if (concurrencyPolicy === "Replace") {
      for (const reference of [...active]) {
        await this.#delete(cronJob, reference.name!);
        forget(status, reference.uid!);
      }
    }
    const job = await this.#create(cronJob, { name, slot });
    if (!job) return;
    const reference: ObjectReference = {
      apiVersion: "batch/v1",
      kind: "Job",
      name,
      namespace: job.metadata.namespace,
      uid: job.metadata.uid,
      resourceVersion: job.metadata.resourceVersion,
    };
    status.active = [...status.active ?? [], reference];
    status.lastScheduleTime = formatTime(slot);
  }

  /** Undefined: another one has made it, and looks after the status. */
  async #create(
    { metadata, spec }: DeepReadonly<CronJobObject>,
    { name, slot }: { name: string; slot: EpochMs },
  ): Promise<Job | undefined> {
    const cronJob = { metadata };
    const { metadata: template, spec: jobSpec } = structuredClone(
      spec.jobTemplate,
    ) as CronJobObject["spec"]["jobTemplate"];
    try {
      const job = await this.client.create(JOBS, {
        apiVersion: "batch/v1",
        kind: "Job",
        metadata: {
          name,
          namespace: metadata.namespace,
          labels: template?.labels,
          annotations: { ...template?.annotations, [BATCH.scheduledTimeAnnotation]: formatTime(slot) },
          ownerReferences: [{
            apiVersion: "batch/v1",
            kind: "CronJob",
            name: metadata.name,
            uid: metadata.uid,
            controller: true,
            blockOwnerDeletion: true,
          }],
        },
        spec: jobSpec,
      } as Unstored<Job>);
      this.#did(cronJob, "created", name);
      return job;
    } catch (error) {
      if (!(error instanceof ApiError && error.isAlreadyExists)) throw error;
      const existing = await this.#find(cronJob, name);
      return existing && controllerOf(existing)?.uid === metadata.uid ? existing : undefined;
    }
  }

  async #delete(cronJob: DeepReadonly<CronJobObject>, name: string): Promise<void> {
    try {
      await this.client.delete(JOBS, { namespace: cronJob.metadata.namespace, name }, {
        propagationPolicy: "Background",
      });
      this.#did(cronJob, "deleted", name);
    } catch (error) {
      if (!(error instanceof ApiError && error.isNotFound)) throw error;
    }
  }

  async #find({ metadata }: { metadata: { namespace?: string } }, name: string): Promise<Job | undefined> {
    try {
      return await this.client.get(JOBS, { namespace: metadata.namespace, name });
    } catch (error) {
      if (error instanceof ApiError && error.isNotFound) return undefined;
      throw error;
    }
  }

  #did(
    cronJob: { metadata: { name: string; namespace?: string } },
    what: UpstreamDeed["what"],
    jobName?: string,
  ): void {
    this.deeds.push({ cronJob: keyOf(cronJob), what, jobName });
  }
}

function forget(status: CronJobStatus, uid: string): void {
  status.active = status.active?.filter((reference) => reference.uid !== uid);
  if (status.active?.length === 0) delete status.active;
}

function isFinished({ status }: DeepReadonly<Job>): boolean {
  return (status?.conditions ?? []).some(({ type, status }) =>
    status === "True" && (type === "Complete" || type === "Failed")
  );
}
