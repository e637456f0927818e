import { isFinished } from "../../../src/job/api/conditions.ts";
import { TRACKING_FINALIZER } from "../../../src/job/api/names.ts";
import { PodExpectations } from "../../../src/job/knowledge/expectations.ts";
import { JobReconciler } from "../../../src/job/reconciler.ts";
import { ApiError } from "../../../src/kube/api_error.ts";
import type { DeleteOptions, KubeClient } from "../../../src/kube/client.ts";
import type { DeepReadonly, Patch } from "../../../src/kube/object.ts";
import type { Job, Pod } from "../../../src/kube/resource.ts";
import { OwnWrites } from "../../../src/runtime/own_writes.ts";
import { formatTime } from "../../../src/base/epoch_ms.ts";
import { copyOf } from "../../support/copy.ts";
import { JobAudit } from "./job_audit.ts";

/** What goes wrong with a request. `seePods` and `seeJobs` let the cache catch up while it is under way. */
export const MISHAPS = [
  "none",
  "none",
  "seePods",
  "seeJobs",
  "lost answer",
  "lost request",
  "refused",
  "crash before",
  "crash after",
] as const;
export type Mishap = (typeof MISHAPS)[number];

/** The controller process died; nothing it knew remains. */
export class Crash extends Error {}

type Kind = "jobs" | "pods";
type Stored = Job | Pod;

/**
 * One Job, its Pods, an API server that holds them, a cache that lags behind it, and a controller that can die between any
 * two requests. An audit looks at every write.
 */
export class SimulatedCluster {
  now = Date.parse("2026-03-01T12:00:00Z");
  readonly audit: JobAudit;
  readonly #objects: Record<Kind, Map<string, Stored>> = { jobs: new Map(), pods: new Map() };
  readonly #cache: Record<Kind, Map<string, Stored>> = { jobs: new Map(), pods: new Map() };
  /** What has not reached the cache yet, in order. */
  readonly #lag: Record<Kind, { name: string; object: Stored; gone: boolean }[]> = { jobs: [], pods: [] };
  #version = 100;
  #uid = 0;
  #random = 1;
  #mishaps: Mishap[] = [];
  #crashed = false;
  #controller!: { reconciler: JobReconciler; expectations: PodExpectations; newest: OwnWrites<DeepReadonly<Job>> };

  constructor(job: Job) {
    this.audit = new JobAudit(() => [...this.#objects.pods.values()] as Pod[]);
    this.audit.maxParallelism = job.spec?.parallelism ?? 1;
    this.#objects.jobs.set(job.metadata.name, job);
    this.restart();
  }

  get job(): DeepReadonly<Job> {
    return this.#objects.jobs.get("work") as Job;
  }

  get pods(): readonly DeepReadonly<Pod>[] {
    return [...this.#objects.pods.values()] as Pod[];
  }

  /** The next requests meet these. */
  script(mishaps: readonly Mishap[]): void {
    this.#mishaps = [...mishaps];
  }

  /** A new controller process, which lists everything first. */
  restart(): void {
    this.#crashed = false;
    for (const kind of ["jobs", "pods"] as const) {
      this.#cache[kind] = new Map(this.#objects[kind]);
      this.#lag[kind] = [];
    }
    const expectations = new PodExpectations();
    const newest = new OwnWrites<DeepReadonly<Job>>();
    const pods = () => [...this.#cache.pods.values()] as Pod[];
    const reconciler = new JobReconciler({
      client: this.#client(),
      clock: { now: () => this.now, monotonic: () => this.now } as never,
      recorder: { record: () => {} },
      cache: {
        job: () => this.#cache.jobs.get("work") as Job | undefined,
        podsOf: () => pods().filter((pod) => pod.metadata.ownerReferences?.length),
        orphansFor: () => pods().filter((pod) => !pod.metadata.ownerReferences?.length),
      },
      expectations,
      newest,
      mode: "all",
      random: () => (this.#random = (this.#random * 16807) % 2147483647) / 2147483647,
    });
    this.#controller = { reconciler, expectations, newest };
  }

  /** One sync, as the work queue would call for it; gives when the next is due. */
  async sync(): Promise<number | undefined> {
    try {
      const result = await this.#controller.reconciler.reconcile("default/work", new AbortController().signal);
      return result?.requeueAt;
    } catch (error) {
      // Whatever went wrong on purpose is tried again, as the queue does; anything else is a finding.
      if (!(error instanceof ApiError || error instanceof LostError || error instanceof Crash)) throw error;
      return this.now + 20;
    } finally {
      if (this.#crashed) this.restart();
    }
  }

  /** Lets the cache see up to `count` of what it has missed. */
  deliver(kind: Kind, count = Infinity): void {
    for (const { name, object, gone } of this.#lag[kind].splice(0, count)) {
      if (gone) this.#cache[kind].delete(name);
      else this.#cache[kind].set(name, object);
      if (kind === "jobs") this.#controller.newest.isOwn(object as Job);
      else {
        if (gone) this.#controller.expectations.observeGone(object as Pod);
        else this.#controller.expectations.observe(object as Pod);
      }
    }
  }

  /** What kubelet, users and disasters do to a Pod. */
  changePod(pod: DeepReadonly<Pod>, change: (pod: Pod) => void): void {
    const copy = copyOf(this.#objects.pods.get(pod.metadata.name)) as Pod | undefined;
    if (!copy) return;
    change(copy);
    if (copy.status?.phase === "Succeeded" || copy.status?.phase === "Failed") this.audit.ended(this.job, copy);
    this.#put("pods", copy);
  }

  changeJob(change: (job: Job) => void): void {
    const copy = copyOf(this.job) as Job;
    change(copy);
    this.#put("jobs", copy);
  }

  /** A user, or an eviction, deletes a Pod; kubelet has yet to end it. */
  deletePod(pod: DeepReadonly<Pod>): void {
    if (pod.metadata.deletionTimestamp !== undefined) return;
    this.changePod(pod, (copy) => {
      Object.assign(copy.metadata, { deletionTimestamp: formatTime(this.now), deletionGracePeriodSeconds: 30 });
    });
  }

  /** Gone at once, finalizers and all, as when storage is restored from a backup. */
  vanish(pod: DeepReadonly<Pod>): void {
    this.#remove("pods", this.#objects.pods.get(pod.metadata.name)!);
    this.audit.vanished(pod);
  }

  #put<T extends Stored>(kind: Kind, object: T): T {
    object.metadata.resourceVersion = String(++this.#version);
    const { deletionTimestamp, finalizers } = object.metadata;
    const phase = object.status && "phase" in object.status ? object.status.phase : undefined;
    const ended = phase === "Succeeded" || phase === "Failed";
    if (kind === "pods" && deletionTimestamp !== undefined && !finalizers?.length && ended) {
      this.#remove(kind, object);
      return object;
    }
    this.#objects[kind].set(object.metadata.name, object);
    this.#lag[kind].push({ name: object.metadata.name, object, gone: false });
    return object;
  }

  #remove(kind: Kind, object: Stored): void {
    this.#objects[kind].delete(object.metadata.name);
    this.#lag[kind].push({ name: object.metadata.name, object, gone: true });
  }

  #client(): KubeClient {
    const find = (kind: Kind, name: string): Stored => {
      const object = this.#objects[kind].get(name);
      if (!object) throw new ApiError(`${kind} "${name}" not found`, { code: 404, reason: "NotFound" });
      return object;
    };
    return {
      get: (resource: { plural: string }, { name }: { name: string }) =>
        this.#request(() => find(resource.plural as Kind, name), { reads: true }),
      create: (_resource: unknown, object: Pod) =>
        this.#request(() => {
          const { name } = object.metadata;
          if (this.#objects.pods.has(name)) {
            throw new ApiError(`pods "${name}" already exists`, { code: 409, reason: "AlreadyExists" });
          }
          const pod = Object.assign(copyOf(object), { status: { phase: "Pending" } });
          pod.metadata.uid = `pod-${++this.#uid}`;
          Object.assign(pod.metadata, { creationTimestamp: formatTime(this.now) });
          this.audit.creating(this.job, pod);
          return this.#put("pods", pod);
        }),
      replace: (_resource: unknown, object: Job) =>
        this.#request(() => {
          const before = find("jobs", object.metadata.name) as Job;
          if (before.metadata.resourceVersion !== object.metadata.resourceVersion) {
            throw new ApiError("the object has been modified", { code: 409, reason: "Conflict" });
          }
          const after = { ...copyOf(before), status: copyOf(object.status) } as Job;
          this.audit.storing(before, after);
          return this.#put("jobs", after);
        }),
      patch: (_resource: unknown, { name }: { name: string }, patch: Patch) =>
        this.#request(() => {
          const pod = copyOf(find("pods", name)) as Pod;
          if (patch.type !== "json") throw new Error("Only finalizers are patched here");
          for (const { op, path, value } of patch.operations as { op: string; path: string; value?: string }[]) {
            const at = Number(path.split("/").at(-1));
            if (path.startsWith("/metadata/finalizers/")) {
              const holds = pod.metadata.finalizers?.[at] === (value ?? TRACKING_FINALIZER);
              if (!holds) throw new ApiError("test failed", { code: 422, reason: "Invalid" });
              if (op === "remove") pod.metadata.finalizers!.splice(at, 1);
            } else if (value !== (path === "/metadata/uid" ? pod.metadata.uid : pod.metadata.resourceVersion)) {
              throw new ApiError("test failed", { code: 422, reason: "Invalid" });
            }
          }
          this.audit.untracking(this.job, pod);
          return this.#put("pods", pod);
        }),
      delete: (_resource: unknown, { name }: { name: string }, { preconditions }: DeleteOptions) =>
        this.#request(() => {
          const pod = find("pods", name) as Pod;
          const { uid, resourceVersion } = { ...pod.metadata, ...preconditions };
          if (uid !== pod.metadata.uid || resourceVersion !== pod.metadata.resourceVersion) {
            throw new ApiError("the precondition does not hold", { code: 409, reason: "Conflict" });
          }
          this.audit.deleting(this.job, pod);
          this.deletePod(pod);
        }),
    } as unknown as KubeClient;
  }

  /** One request, and what goes wrong with it. */
  async #request<T>(apply: () => T, { reads = false } = {}): Promise<T> {
    const mishap = this.#mishaps.shift() ?? "none";
    // Requests run at the same time: others get their turn.
    await undefined;
    if (mishap === "crash before") this.#crashed = true;
    if (this.#crashed) throw new Crash("the process is dead");
    if (mishap === "lost request") throw new LostError(mishap);
    if (mishap === "refused") throw new ApiError("the server is busy", { code: 500, reason: "InternalError" });
    const answer = copyOf(apply());
    if (mishap === "seePods") this.deliver("pods");
    if (mishap === "seeJobs") this.deliver("jobs");
    await undefined;
    if (mishap === "crash after") this.#crashed = true;
    if (this.#crashed) throw new Crash("the process is dead");
    if (mishap === "lost answer" && !reads) throw new LostError(mishap);
    return answer;
  }

  get finished(): boolean {
    return isFinished(this.job);
  }
}

/** It is unknown whether the request was carried out. */
class LostError extends TypeError {}
