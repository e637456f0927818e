import { BATCH } from "../../../../src/cronjob/api/flavour.ts";
import type { CronJobObject, CronJobStatus } from "../../../../src/cronjob/api/types.ts";
import { ApiError } from "../../../../src/kube/api_error.ts";
import type { KubeClient } from "../../../../src/kube/client.ts";
import { controllerOf, type Unstored } from "../../../../src/kube/object.ts";
import { type Job, JOBS } from "../../../../src/kube/resource.ts";
import { type EpochMs, formatTime, parseTime } from "../../../../src/base/epoch_ms.ts";
import { parseSchedule } from "../../../../src/schedule/parse_schedule.ts";
import type { Schedule } from "../../../../src/schedule/schedule.ts";
import { ScheduleError } from "../../../../src/schedule/schedule_error.ts";

/** An Event that it writes about its CronJob. */
export interface KubernetesEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

export interface KubeControllerManagerOptions {
  readonly client: KubeClient;
  readonly now: () => EpochMs;
  readonly onEvent: (event: KubernetesEvent) => void;
  /** Called for each scheduled time that it decides not to start just now. */
  readonly onHeldBack?: (scheduledTime: EpochMs) => void;
}

/**
 * kube-controller-manager's CronJob controller of 1.36, rule by rule as its documentation and its source have them. It knows
 * no annotation. Its look every ten seconds is left out: it looks when something has changed, and at each scheduled time.
 */
export class KubeControllerManager {
  readonly #options: KubeControllerManagerOptions;

  constructor(options: KubeControllerManagerOptions) {
    this.#options = options;
  }

  /** Looks at one CronJob, and returns when it looks again if nothing changes. */
  async sync(cronJob: CronJobObject, all: readonly Job[]): Promise<EpochMs | undefined> {
    const jobs = all.filter((job) => controllerOf(job)?.uid === cronJob.metadata.uid);
    const status: CronJobStatus = structuredClone(cronJob.status ?? {});
    this.#follow(jobs, status, all);
    const next = await this.#start(cronJob, status);
    await this.#cleanUp(cronJob, jobs, status);
    if (JSON.stringify(status) !== JSON.stringify(cronJob.status ?? {})) {
      await this.#options.client.replace(BATCH.resource, { ...cronJob, status }, { subresource: "status" });
    }
    return next;
  }

  #follow(jobs: readonly Job[], status: CronJobStatus, all: readonly Job[]): void {
    for (const job of jobs) {
      const { uid, name } = job.metadata;
      const isListed = status.active?.some((one) => one.uid === uid) ?? false;
      const end = conditionOf(job);
      if (isListed && end) {
        forget(status, uid);
        this.#say("Normal", "SawCompletedJob", `Saw completed job: ${name}, condition: ${end.type}`);
      }
      if (end?.type !== "Complete" || !job.status?.completionTime) continue;
      const at = parseTime(job.status.completionTime)!;
      if (at > (parseTime(status.lastSuccessfulTime) ?? 0)) status.lastSuccessfulTime = formatTime(at);
    }
    for (const { name, uid } of [...status.active ?? []]) {
      if (all.some(({ metadata }) => metadata.uid === uid)) continue;
      this.#say("Normal", "MissingJob", `Active job went missing: ${name}`);
      forget(status, uid!);
    }
  }

  async #start(cronJob: CronJobObject, status: CronJobStatus): Promise<EpochMs | undefined> {
    const { spec, metadata } = cronJob;
    if (metadata.deletionTimestamp !== undefined || spec.suspend === true) return undefined;
    const schedule = this.#read(cronJob);
    if (!schedule) return undefined;
    const now = this.#options.now();
    const slot = mostRecentScheduleTime({ ...cronJob, status }, schedule, now);
    const next = nextOf(schedule, slot ?? lastOf({ ...cronJob, status }), now);
    if (slot === undefined) return next;
    const name = `${metadata.name}-${Math.floor(slot / 60_000)}`;
    if (status.active?.some((one) => one.name === name)) return next;
    if (spec.concurrencyPolicy === "Forbid" && (status.active?.length ?? 0) > 0) {
      const message = "Not starting job because prior execution is running and concurrency policy is Forbid";
      this.#say("Normal", "JobAlreadyActive", message);
      this.#options.onHeldBack?.(slot);
      return next;
    }
    if (spec.concurrencyPolicy === "Replace") {
      for (const { name, uid } of [...status.active ?? []]) {
        await this.#delete(cronJob, { name: name!, uid: uid! }, status);
      }
    }
    await this.#create(cronJob, status, { name, slot });
    return next;
  }

  #read({ spec: { schedule, timeZone } }: CronJobObject): Schedule | undefined {
    try {
      return parseSchedule(schedule, { timeZone: timeZone ?? undefined });
    } catch (error) {
      if (!(error instanceof ScheduleError)) throw error;
      this.#say("Warning", "UnparseableSchedule", `unparseable schedule: "${schedule}" : ${error.message}`);
      return undefined;
    }
  }

  async #create(
    { metadata, spec }: CronJobObject,
    status: CronJobStatus,
    { name, slot }: { name: string; slot: EpochMs },
  ): Promise<void> {
    const owner = { apiVersion: "batch/v1", kind: "CronJob", name: metadata.name, uid: metadata.uid };
    const { metadata: template, spec: jobSpec } = structuredClone(
      spec.jobTemplate,
    ) as CronJobObject["spec"]["jobTemplate"];
    const job = {
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
    } as Unstored<Job>;
    try {
      const { metadata: { uid } } = await this.#options.client.create(JOBS, job);
      this.#say("Normal", "SuccessfulCreate", `Created job ${name}`);
      status.active = [...status.active ?? [], {
        apiVersion: "batch/v1",
        kind: "Job",
        name,
        namespace: metadata.namespace,
        uid,
      }];
      status.lastScheduleTime = formatTime(slot);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (!error.isAlreadyExists) this.#say("Warning", "FailedCreate", `Error creating job: ${error.message}`);
    }
  }

  /** By the limits that an API server fills in. */
  async #cleanUp(cronJob: CronJobObject, jobs: readonly Job[], status: CronJobStatus): Promise<void> {
    const { successfulJobsHistoryLimit, failedJobsHistoryLimit } = cronJob.spec;
    const limits = { Complete: successfulJobsHistoryLimit ?? 3, Failed: failedJobsHistoryLimit ?? 1 };
    for (const [type, limit] of Object.entries(limits)) {
      const ended = jobs.filter((job) => conditionOf(job)?.type === type)
        .toSorted((a, b) => (parseTime(a.status?.startTime) ?? 0) - (parseTime(b.status?.startTime) ?? 0));
      for (const { metadata } of ended.slice(0, Math.max(0, ended.length - limit))) {
        await this.#delete(cronJob, metadata, status);
      }
    }
  }

  async #delete(
    { metadata: { namespace } }: CronJobObject,
    { name, uid }: { name: string; uid: string },
    status: CronJobStatus,
  ): Promise<void> {
    await this.#options.client.delete(JOBS, { namespace, name }, { propagationPolicy: "Background" });
    this.#say("Normal", "SuccessfulDelete", `Deleted job ${name}`);
    forget(status, uid);
  }

  #say(type: KubernetesEvent["type"], reason: string, message: string): void {
    this.#options.onEvent({ type, reason, message });
  }
}

function lastOf({ metadata, status }: CronJobObject): EpochMs {
  return parseTime(status?.lastScheduleTime) ?? parseTime(metadata.creationTimestamp)!;
}

/**
 * The newest time since the last start, and not before the deadline. It estimates how many were missed by the first two,
 * and so may find none where times are not evenly spread.
 */
function mostRecentScheduleTime(cronJob: CronJobObject, schedule: Schedule, now: EpochMs): EpochMs | undefined {
  const deadline = cronJob.spec.startingDeadlineSeconds;
  const isLimited = deadline !== undefined && deadline !== null;
  const earliest = Math.max(lastOf(cronJob), isLimited ? now - deadline * 1_000 : -Infinity);
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

/** As the cron library has it: of an interval from any instant on. */
function after(schedule: Schedule, time: EpochMs): EpochMs | undefined {
  return schedule.everyMs === undefined ? schedule.next(time) : time + schedule.everyMs;
}

function nextOf(schedule: Schedule, last: EpochMs, now: EpochMs): EpochMs | undefined {
  if (schedule.everyMs === undefined) return schedule.next(now);
  return last + (Math.floor((now - last) / schedule.everyMs) + 1) * schedule.everyMs;
}

function conditionOf({ status }: Job) {
  return status?.conditions?.find(({ type, status }) =>
    status === "True" && (type === "Complete" || type === "Failed")
  );
}

function forget(status: CronJobStatus, uid: string): void {
  status.active = status.active?.filter((one) => one.uid !== uid);
  if (status.active?.length === 0) delete status.active;
}
