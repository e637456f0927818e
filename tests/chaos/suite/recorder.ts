import type { CronJobObject } from "../../../src/cronjob/api/types.ts";
import { type Job, JOBS, type Pod, PODS } from "../../../src/kube/resource.ts";
import { collectionPath, pathOf } from "../../../src/kube/resource_path.ts";
import { completedAt } from "../../support/ended_job.ts";
import { must } from "../../support/expected.ts";
import { type Api, pause } from "./api.ts";
import { type CronJobPlan, flavourOf, manifestOf } from "./cron_jobs.ts";
import { Follower, type Seen } from "./follower.ts";
import { keyOf, type SeenCronJob, type SeenJob, type SeenPod } from "./history.ts";

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** After so long without a sight of it, the end of a Job is asked for again. */
const UNSEEN_MS = 5_000;

/** Writes down all that happens at the API server, and lets Jobs end when their plan says so. */
export class Recorder implements AsyncDisposable {
  readonly jobs = new Map<string, Writable<SeenJob>>();
  readonly pods = new Map<string, Writable<SeenPod>>();
  readonly cronJobs = new Map<string, Writable<SeenCronJob>>();
  readonly #api: Api;
  readonly #plans: ReadonlyMap<string, CronJobPlan>;
  readonly #stop = new AbortController();
  readonly #followers: (AsyncDisposable & { readonly version: number })[] = [];
  #jobFollower: { readonly version: number } | undefined;
  /** Jobs that are about to end, by UID. */
  readonly #ending = new Set<string>();

  constructor(api: Api, plans: readonly CronJobPlan[]) {
    this.#api = api;
    this.#plans = new Map(plans.map((plan) => [keyOf(plan), plan]));
  }

  /** Makes the CronJobs, all within one second so that many are due at the same instants, and sees what becomes of them. */
  async begin(): Promise<void> {
    await pause(1_000 - Date.now() % 1_000);
    const { signal } = this.#stop;
    for (const flavour of new Set([...this.#plans.values()].map(flavourOf))) {
      const path = collectionPath(flavour.resource);
      this.#followers.push(new Follower<CronJobObject>(this.#api, path, (seen) => this.#sawCronJob(seen)));
    }
    const jobs = new Follower<Job>(this.#api, collectionPath(JOBS), (seen) => this.#sawJob(seen));
    this.#jobFollower = jobs;
    this.#followers.push(jobs);
    this.#followers.push(new Follower<Pod>(this.#api, collectionPath(PODS), (seen) => this.#sawPod(seen)));
    await Promise.all([...this.#plans.values()].map(async (plan) => {
      const answer = await this.#api.insist(
        "POST",
        collectionPath(flavourOf(plan).resource, plan.namespace),
        manifestOf(plan),
        signal,
      );
      // The first answer may have come too late.
      if (answer?.code !== 201 && answer?.code !== 409) {
        throw new Error(`CronJob ${keyOf(plan)} was refused: ${JSON.stringify(answer)}`);
      }
    }));
  }

  /** Returns once all Jobs are seen that the statuses of now may count: another watch shows those, and may be ahead. */
  async seesJobs(): Promise<void> {
    const version = Math.max(...this.#followers.map((follower) => follower.version));
    while (must(this.#jobFollower).version < version) await pause(50);
  }

  /** What was created after the backup has never been: a restored server knows nothing of it. */
  undoSince(version: number): void {
    for (const job of this.jobs.values()) if (job.createdVersion > version) job.isUndone = true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#followers.map((follower) => follower[Symbol.asyncDispose]()));
  }

  #sawCronJob({ object: { metadata, status }, isGone }: Seen<CronJobObject>): void {
    const key = keyOf({ namespace: metadata.namespace!, name: metadata.name });
    const plan = this.#plans.get(key);
    if (!plan || isGone) return;
    const known = this.cronJobs.get(key);
    const refused = new Map(known?.refused);
    for (const { scheduledTime, outcome, reason } of status?.recentRuns ?? []) {
      if (scheduledTime && (outcome === "Waiting" || outcome === "Skipped" || outcome === "Missed")) {
        refused.set(Date.parse(scheduledTime), `${outcome}: ${reason}`);
      }
    }
    const createdAt = Date.parse(metadata.creationTimestamp);
    const statuses = [...known?.statuses ?? [], ...status ? [status] : []];
    this.cronJobs.set(key, { plan, createdAt, statuses, refused });
  }

  #sawJob({ object, version, isGone }: Seen<Job>): void {
    // An adopted CronJob owns its Jobs, and is not their controller.
    const owner = object.metadata.ownerReferences?.find(({ kind }) => kind === "CronJob");
    const key = `${object.metadata.namespace}/${owner?.name}`;
    const plan = this.#plans.get(key);
    if (!owner || !plan) return;
    const { uid, name, annotations } = object.metadata;
    const slot = Date.parse(annotations?.[flavourOf(plan).scheduledTimeAnnotation] ?? "");
    const seenAt = Date.now();
    const job = this.jobs.get(uid) ?? { uid, name, cronJob: key, slot, createdVersion: version, seenAt };
    this.jobs.set(uid, job);
    // A deleted Job that `neverTwice` keeps has no Pods in these worlds.
    const isDeleted = plan.end.by !== "its Pods" && object.metadata.deletionTimestamp !== undefined;
    const isOver = isGone || isDeleted ||
      object.status?.conditions?.some(({ type, status }) => /^(Complete|Failed)$/.test(type) && status === "True");
    if (isOver) {
      job.endedVersion ??= version;
      job.endedAt ??= seenAt;
    } else {
      // A restored server has forgotten the end.
      delete job.endedVersion;
      delete job.endedAt;
      if (this.#ending.has(uid)) return;
      this.#ending.add(uid);
      this.#end(object, plan).finally(() => this.#ending.delete(uid));
    }
  }

  #sawPod({ object: { metadata, status }, version, isGone }: Seen<Pod>): void {
    const job = metadata.ownerReferences?.find(({ kind }) => kind === "Job");
    if (!job) return;
    const { uid, name, annotations } = metadata;
    const pod = this.pods.get(uid) ?? {
      uid,
      name,
      jobUid: job.uid,
      createdVersion: version,
      succeeded: false,
      index: annotations?.["batch.kubernetes.io/job-completion-index"],
    };
    this.pods.set(uid, pod);
    if (status?.phase === "Succeeded") pod.succeeded = true;
    // A Job replaces a Pod as soon as that is being deleted, unless its podReplacementPolicy says otherwise.
    const isOver = isGone || metadata.deletionTimestamp !== undefined ||
      /^(Succeeded|Failed)$/.test(status?.phase ?? "");
    if (isOver) pod.endedVersion ??= version;
  }

  async #end({ metadata: { uid, name, namespace } }: Job, { end, neverTwice }: CronJobPlan): Promise<void> {
    if (end.by === "its Pods") return;
    const { signal } = this.#stop;
    await pause(end.afterMs);
    const path = pathOf(JOBS, { namespace, name });
    // A restored server may have forgotten the deletion before it was seen.
    while (end.by === "deletion" && !signal.aborted && this.jobs.get(uid)?.endedVersion === undefined) {
      // A Job controller has said by then that it started. Without that, a Job that `neverTwice` keeps may have Pods.
      const startTime = new Date().toISOString().replace(/\.\d+/, "");
      if (neverTwice) await this.#api.insist("PATCH", `${path}/status`, { status: { startTime } }, signal);
      await this.#api.insist("DELETE", path, {
        kind: "DeleteOptions",
        apiVersion: "v1",
        propagationPolicy: "Background",
        preconditions: { uid },
      }, signal);
      await pause(UNSEEN_MS);
    }
    if (end.by === "completion" && !signal.aborted) {
      const time = new Date().toISOString().replace(/\.\d+/, "");
      await this.#api.insist("PATCH", `${path}/status`, { status: completedAt(time) }, signal);
    }
  }
}
