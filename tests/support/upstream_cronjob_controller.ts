import { BATCH } from "../../src/cronjob/api/flavour.ts";
import type { CronJobObject, CronJobStatus } from "../../src/cronjob/api/types.ts";
import { ApiError } from "../../src/kube/api_error.ts";
import type { KubeClient } from "../../src/kube/client.ts";
import { controllerOf, type DeepReadonly, keyOf, type Unstored } from "../../src/kube/object.ts";
import { type Job, JOBS } from "../../src/kube/resource.ts";
import { type EpochMs, formatTime, parseTime } from "../../src/base/epoch_ms.ts";
import { parseSchedule } from "../../src/schedule/parse_schedule.ts";
import type { Schedule } from "../../src/schedule/schedule.ts";
import { ScheduleError } from "../../src/schedule/schedule_error.ts";
import { present } from "./present.ts";

/** What it saw at some time. */
export interface UpstreamView {
  readonly cronJobs: readonly DeepReadonly<CronJobObject>[];
  readonly jobs: readonly DeepReadonly<Job>[];
}

/** An Event that it writes about a CronJob. */
export interface UpstreamEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

/** Something that it did to a CronJob or one of its Jobs, or said about it. */
export interface UpstreamDeed {
  readonly cronJob: string;
  /** The reason of an Event, or that it wrote the status. */
  readonly what: string;
  readonly jobName?: string | undefined;
}

/** A CronJob that it looks at, and the status that it comes to. */
interface Look {
  readonly cronJob: DeepReadonly<CronJobObject>;
  readonly status: CronJobStatus;
}

/**
 * kube-controller-manager's CronJob controller of 1.36, rule by rule as it was measured, and as its documentation and its
 * source have them. It knows no annotation. It counts Jobs by the owner reference that says `controller: true` alone; one
 * that `status.active` lists and that only has the CronJob as an owner it leaves where it is, as long as it exists. Its
 * look every ten seconds is left out.
 */
export class UpstreamCronJobController {
  readonly deeds: UpstreamDeed[] = [];

  constructor(
    readonly client: KubeClient,
    readonly now: () => EpochMs,
    readonly onEvent: (event: UpstreamEvent) => void = () => {},
  ) {}

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

  /** Syncs one CronJob, as seen at any time before. Returns when it looks again if nothing changes. */
  async syncOne(
    cronJob: DeepReadonly<CronJobObject>,
    allJobs: readonly DeepReadonly<Job>[],
  ): Promise<EpochMs | undefined> {
    // By name, as there: the UID only counts for what another client created.
    const jobs = allJobs.filter((job) =>
      job.metadata.namespace === cronJob.metadata.namespace && controllerOf(job)?.name === cronJob.metadata.name
    );
    const look = { cronJob, status: structuredClone(cronJob.status ?? {}) as CronJobStatus };
    await this.#cleanUp(look, jobs);
    await this.#followJobs(look, jobs);
    const next = await this.#start(look);
    if (JSON.stringify(look.status) === JSON.stringify(cronJob.status ?? {})) return next;
    try {
      const written = { ...cronJob, status: look.status } as CronJobObject;
      await this.client.replace(BATCH.resource, written, { subresource: "status" });
      this.deeds.push({ cronJob: keyOf(cronJob), what: "status" });
    } catch (error) {
      // Another look follows.
      if (!(error instanceof ApiError && (error.isConflict || error.isNotFound))) throw error;
    }
    return next;
  }

  /** By the limits that an API server fills in. */
  async #cleanUp(look: Look, jobs: readonly DeepReadonly<Job>[]): Promise<void> {
    const { successfulJobsHistoryLimit, failedJobsHistoryLimit } = look.cronJob.spec;
    const limits = { Complete: successfulJobsHistoryLimit ?? 3, Failed: failedJobsHistoryLimit ?? 1 };
    for (const [type, limit] of Object.entries(limits)) {
      const ended = jobs.filter((job) => endOf(job)?.type === type).toSorted((a, b) =>
        (parseTime(a.status?.startTime) ?? Infinity) - (parseTime(b.status?.startTime) ?? Infinity)
      );
      for (const { metadata } of ended.slice(0, Math.max(0, ended.length - limit))) await this.#delete(look, metadata);
    }
  }

  async #followJobs(look: Look, jobs: readonly DeepReadonly<Job>[]): Promise<void> {
    const { cronJob, status } = look;
    for (const job of jobs) {
      const { name, uid } = job.metadata;
      const isListed = status.active?.some((reference) => reference.uid === uid) ?? false;
      const end = endOf(job);
      if (!isListed && !end) {
        const { status: newest } = await this.client.get(BATCH.resource, cronJob.metadata);
        if (newest?.active?.some((reference) => reference.uid === uid)) continue;
        const message = `Saw a job that the controller did not create or forgot: ${name}`;
        this.#say(look, { type: "Warning", reason: "UnexpectedJob", message }, name);
      } else if (isListed && end) {
        forget(status, uid);
        const message = `Saw completed job: ${name}, condition: ${end.type}`;
        this.#say(look, { type: "Normal", reason: "SawCompletedJob", message }, name);
      } else if (end && job.status?.completionTime) {
        const at = parseTime(job.status.completionTime)!;
        if (at > (parseTime(status.lastSuccessfulTime) ?? -Infinity)) status.lastSuccessfulTime = formatTime(at);
      }
    }
    const own = new Set(jobs.map(({ metadata }) => metadata.uid));
    for (const { name, uid } of [...status.active ?? []]) {
      if (own.has(uid!) || await this.#find(cronJob, name!)) continue;
      this.#say(look, { type: "Normal", reason: "MissingJob", message: `Active job went missing: ${name}` }, name);
      forget(status, uid!);
    }
  }

  async #start(look: Look): Promise<EpochMs | undefined> {
    const { cronJob: { metadata, spec }, status } = look;
    if (metadata.deletionTimestamp !== undefined || spec.suspend === true) return undefined;
    const schedule = this.#read(look);
    if (!schedule) return undefined;
    const now = this.now();
    const slot = mostRecentScheduleTime(look, schedule, now);
    const next = nextOf(schedule, slot ?? lastOf(look), now);
    if (slot === undefined) return next;
    const name = `${metadata.name}-${Math.floor(slot / 60_000)}`;
    const active = status.active ?? [];
    if (active.some((reference) => reference.name === name)) return next;
    if (spec.concurrencyPolicy === "Forbid" && active.length > 0) {
      const message = "Not starting job because prior execution is running and concurrency policy is Forbid";
      this.#say(look, { type: "Normal", reason: "JobAlreadyActive", message });
      return next;
    }
    if (spec.concurrencyPolicy === "Replace") {
      for (const { name, uid } of [...active]) await this.#delete(look, { name: name!, uid: uid! });
    }
    const job = await this.#create(look, { name, slot });
    if (!job) return next;
    const { namespace, uid, resourceVersion } = job.metadata;
    const reference = present({ apiVersion: "batch/v1", kind: "Job", name, namespace, uid, resourceVersion });
    status.active = [...status.active ?? [], reference];
    status.lastScheduleTime = formatTime(slot);
    return next;
  }

  #read(look: Look): Schedule | undefined {
    const { schedule, timeZone } = look.cronJob.spec;
    try {
      return parseSchedule(schedule, { timeZone: timeZone ?? undefined });
    } catch (error) {
      if (!(error instanceof ScheduleError)) throw error;
      const message = `unparseable schedule: "${schedule}" : ${error.message}`;
      this.#say(look, { type: "Warning", reason: "UnparseableSchedule", message });
      return undefined;
    }
  }

  /** Undefined: another one has made it, and looks after the status; or it was refused. */
  async #create(look: Look, { name, slot }: { name: string; slot: EpochMs }): Promise<Job | undefined> {
    const { metadata, spec } = look.cronJob;
    const owner = { apiVersion: "batch/v1", kind: "CronJob", name: metadata.name, uid: metadata.uid };
    const { metadata: template, spec: jobSpec } = structuredClone(spec.jobTemplate) as JobTemplate;
    try {
      const job = await this.client.create(JOBS, {
        apiVersion: "batch/v1",
        kind: "Job",
        metadata: {
          name,
          namespace: metadata.namespace,
          labels: template?.labels,
          annotations: { ...template?.annotations, [BATCH.scheduledTimeAnnotation]: formatTime(slot) },
          ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: true }],
        },
        spec: jobSpec,
      } as Unstored<Job>);
      this.#say(look, { type: "Normal", reason: "SuccessfulCreate", message: `Created job ${name}` }, name);
      return job;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (!error.isAlreadyExists) {
        const message = `Error creating job: ${error.message}`;
        this.#say(look, { type: "Warning", reason: "FailedCreate", message }, name);
        return undefined;
      }
      const existing = await this.#find(look.cronJob, name);
      return existing && controllerOf(existing)?.uid === metadata.uid ? existing : undefined;
    }
  }

  async #delete(look: Look, { name, uid }: { name: string; uid: string }): Promise<void> {
    const { namespace } = look.cronJob.metadata;
    try {
      await this.client.delete(JOBS, { namespace, name }, { propagationPolicy: "Background" });
      this.#say(look, { type: "Normal", reason: "SuccessfulDelete", message: `Deleted job ${name}` }, name);
    } catch (error) {
      if (!(error instanceof ApiError && error.isNotFound)) throw error;
    }
    forget(look.status, uid);
  }

  async #find({ metadata }: { metadata: { namespace?: string } }, name: string): Promise<Job | undefined> {
    try {
      return await this.client.get(JOBS, { namespace: metadata.namespace, name });
    } catch (error) {
      if (error instanceof ApiError && error.isNotFound) return undefined;
      throw error;
    }
  }

  #say({ cronJob }: Look, event: UpstreamEvent, jobName?: string): void {
    this.deeds.push({ cronJob: keyOf(cronJob), what: event.reason, jobName });
    this.onEvent(event);
  }
}

type JobTemplate = CronJobObject["spec"]["jobTemplate"];

function lastOf({ cronJob, status }: Look): EpochMs {
  return parseTime(status.lastScheduleTime) ?? parseTime(cronJob.metadata.creationTimestamp)!;
}

/**
 * The newest time since the last start, and not before the deadline. It estimates how many were missed by the first two,
 * and so may find none where times are not evenly spread.
 */
function mostRecentScheduleTime(look: Look, schedule: Schedule, now: EpochMs): EpochMs | undefined {
  const deadline = look.cronJob.spec.startingDeadlineSeconds;
  const isLimited = deadline !== undefined && deadline !== null;
  const earliest = Math.max(lastOf(look), isLimited ? now - deadline * 1_000 : -Infinity);
  const first = after(schedule, earliest);
  if (first === undefined || now < first) return undefined;
  const second = after(schedule, first);
  if (second === undefined || now < second) return first;
  const between = Math.round((second - first) / 1_000);
  const missed = Math.floor(Math.floor((now - first) / 1_000) / between) + 1;
  let newest: EpochMs | undefined;
  let time = after(schedule, first + (missed - 2) * between * 1_000);
  for (; time !== undefined && time <= now; time = after(schedule, time)) newest = time;
  return newest;
}

/** Returns the time after an instant. An interval counts from any instant on, as in the cron library. */
function after(schedule: Schedule, time: EpochMs): EpochMs | undefined {
  return schedule.everyMs === undefined ? schedule.next(time) : time + schedule.everyMs;
}

function nextOf(schedule: Schedule, last: EpochMs, now: EpochMs): EpochMs | undefined {
  if (schedule.everyMs === undefined) return schedule.next(now);
  return last + (Math.floor((now - last) / schedule.everyMs) + 1) * schedule.everyMs;
}

/** The condition that says how it ended. */
function endOf({ status }: DeepReadonly<Job>) {
  return status?.conditions?.find(({ type, status }) =>
    status === "True" && (type === "Complete" || type === "Failed")
  );
}

function forget(status: CronJobStatus, uid: string): void {
  const left = (status.active ?? []).filter((reference) => reference.uid !== uid);
  if (left.length === 0) delete status.active;
  else status.active = left;
}
