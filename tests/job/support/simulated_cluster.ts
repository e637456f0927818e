import { isFinished } from "../../../src/job/api/conditions.ts";
import { PodExpectations } from "../../../src/job/knowledge/expectations.ts";
import { JobReconciler } from "../../../src/job/reconciler.ts";
import { ApiError } from "../../../src/kube/api_error.ts";
import type { KubeClient } from "../../../src/kube/client.ts";
import {
  type DeepReadonly,
  keyOf,
  type KubeObject,
  type ObjectKey,
  type Patch,
  type Unstored,
} from "../../../src/kube/object.ts";
import type { Job, Pod } from "../../../src/kube/resource.ts";
import { OwnWrites } from "../../../src/runtime/own_writes.ts";
import { copyOf } from "../../support/copy.ts";
import { Crash, fatefulClient, Lost } from "../../support/fateful_client.ts";
import { LaggingCache } from "../../support/lagging_cache.ts";
import { ObjectStore } from "../../support/object_store.ts";
import { JobAudit } from "./job_audit.ts";

/** How a request fares; `seePods` and `seeJobs` let the cache catch up while it is under way. */
export const MISHAPS = [
  "ok",
  "ok",
  "seePods",
  "seeJobs",
  "lostAfter",
  "lostBefore",
  "failed",
  "crashBefore",
  "crashAfter",
] as const;
export type Mishap = (typeof MISHAPS)[number];

const KEY = "default/work";

/**
 * One Job, its Pods, an API server that holds them, a cache that lags behind it, and a controller that can die between any
 * two requests. An audit looks at every write.
 */
export class SimulatedCluster extends ObjectStore {
  time = Date.parse("2026-03-01T12:00:00Z");
  readonly audit = new JobAudit(() => this.pods);
  /** What becomes of the next requests; those after them fare well. */
  mishaps: Mishap[] = [];
  #random = 1;
  /** Which process sends: one that has died sends no more. */
  #lives = 0;
  #caches!: Record<"jobs" | "pods", { deliver(count?: number): void }>;
  #reconciler!: JobReconciler;

  constructor(job: Job) {
    super(() => this.time);
    this.audit.maxParallelism = job.spec?.parallelism ?? 1;
    this.put("jobs", job);
    this.restart();
  }

  get job(): DeepReadonly<Job> {
    return this.find<Job>("jobs", KEY);
  }

  get pods(): readonly DeepReadonly<Pod>[] {
    return [...this.collection<Pod>("pods").objects.values()];
  }

  get finished(): boolean {
    return isFinished(this.job);
  }

  /** A new controller process, which lists everything first. */
  restart(): void {
    const expectations = new PodExpectations();
    const newest = new OwnWrites<DeepReadonly<Job>>();
    const jobs = new LaggingCache(this.collection("jobs"), {
      read: (job: Job) => job,
      onChange: (job) => void newest.isOwn(job),
    });
    const pods = new LaggingCache(this.collection("pods"), {
      read: (pod: Pod) => pod,
      onChange: (pod, isGone) => isGone ? expectations.observeGone(pod) : expectations.observe(pod),
    });
    this.#caches = { jobs, pods };
    this.#reconciler = new JobReconciler({
      client: this.#client(),
      clock: { now: this.now, monotonic: this.now } as never,
      recorder: { record: () => {} },
      cache: {
        job: () => jobs.get(KEY),
        podsOf: () => [...pods.values()].filter((pod) => pod.metadata.ownerReferences?.length),
        orphansFor: () => [...pods.values()].filter((pod) => !pod.metadata.ownerReferences?.length),
      },
      expectations,
      newest,
      mode: "all",
      random: () => (this.#random = (this.#random * 16807) % 2147483647) / 2147483647,
    });
  }

  /** One sync, as the work queue would call for it; gives when the next is due. */
  async sync(): Promise<number | undefined> {
    const life = this.#lives;
    try {
      return (await this.#reconciler.reconcile(KEY, new AbortController().signal))?.requeueAt;
    } catch (error) {
      // Whatever went wrong on purpose is tried again, as the queue does; anything else is a finding.
      if (!(error instanceof ApiError || error instanceof Lost || error instanceof Crash)) throw error;
      return this.time + 20;
    } finally {
      if (life !== this.#lives) this.restart();
    }
  }

  /** Lets the cache see up to `count` of what it has missed. */
  deliver(kind: "jobs" | "pods", count?: number): void {
    this.#caches[kind].deliver(count);
  }

  /** What kubelet, users and disasters do to a Pod. */
  changePod({ metadata: { name } }: DeepReadonly<Pod>, change: (pod: Pod) => void): void {
    const pod = this.collection<Pod>("pods").objects.get(`default/${name}`);
    if (!pod) return;
    const copy = copyOf(pod);
    change(copy);
    if (hasEnded(copy)) this.audit.ended(this.job, copy);
    this.put("pods", copy);
  }

  changeJob(change: (job: Job) => void): void {
    const copy = copyOf(this.job) as Job;
    change(copy);
    this.put("jobs", copy);
  }

  /** A user, or an eviction, deletes a Pod; kubelet has yet to end it. */
  deletePod(pod: DeepReadonly<Pod>): void {
    super.delete("pods", keyOf(pod));
  }

  /** Gone at once, finalizers and all, as when storage is restored from a backup. */
  vanish(pod: DeepReadonly<Pod>): void {
    this.remove("pods", keyOf(pod));
    this.audit.vanished(pod);
  }

  override create<T extends KubeObject>(collection: string, object: T | Unstored<T>): T {
    const pod = { ...object, status: { phase: "Pending" } };
    const isNew = !this.collection(collection).objects.has(keyOf(object));
    if (isNew) this.audit.creating(this.job, pod as unknown as Pod);
    return super.create(collection, pod);
  }

  replaceStatus(collection: string, object: KubeObject): KubeObject {
    const before = this.find<Job>(collection, KEY, object.metadata);
    const after = { ...before, status: (object as Job).status! };
    this.audit.storing(before, after);
    return this.put(collection, after);
  }

  override patch<T extends KubeObject>(collection: string, key: ObjectKey, patch: Patch): T {
    const pod = super.patch<T>(collection, key, patch);
    this.audit.untracking(this.job, pod as KubeObject as Pod);
    return pod;
  }

  override delete(collection: string, key: ObjectKey, preconditions: object): void {
    this.audit.deleting(this.job, this.find<Pod>(collection, key, preconditions));
    super.delete(collection, key);
  }

  /** The kubelet ends a Pod before it goes. */
  protected override isHeld(object: KubeObject): boolean {
    return super.isHeld(object) || !hasEnded(object as Pod);
  }

  #client(): KubeClient {
    const life = ++this.#lives;
    return fatefulClient(this, () => {
      if (life !== this.#lives) return "crashBefore";
      const mishap = this.mishaps.shift() ?? "ok";
      if (mishap === "seePods") return () => this.deliver("pods");
      if (mishap === "seeJobs") return () => this.deliver("jobs");
      if (mishap.startsWith("crash")) this.#lives++;
      return mishap;
    });
  }
}

function hasEnded({ status }: DeepReadonly<Pod>): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed";
}
