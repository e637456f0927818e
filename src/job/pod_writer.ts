import { ApiError, ignoreNotFound } from "../kube/api_error.ts";
import type { KubeClient } from "../kube/client.ts";
import type { DeepReadonly } from "../kube/object.ts";
import { type Job, type Pod, PODS } from "../kube/resource.ts";
import type { Clock } from "../base/clock.ts";
import { hasEnded, type PodView } from "./api/pod_view.ts";
import { untrackingPatch } from "./decision/claim.ts";
import type { NewPod } from "./decision/plan.ts";
import { makePod, newPodName } from "./decision/pod_template.ts";
import type { PodExpectations } from "./knowledge/expectations.ts";

export interface PodWriterOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly expectations: PodExpectations;
  /** From 0 up to 1. @default Math.random */
  readonly random?: () => number;
}

/** The outcome of a batch of requests: a failure throws nothing, since the others count. Other Pods were left alone. */
export interface Outcome {
  readonly done: readonly string[];
  readonly errors: readonly { readonly pod: string; readonly error: unknown }[];
}

/** How often a Pod that keeps changing is looked up and deleted anew within one sync. */
const MAX_STOP_ATTEMPTS = 5;

/** The requests that change a Job's Pods, each announced to the expectations. */
export class PodWriter {
  readonly #client: KubeClient;
  readonly #clock: Clock;
  readonly #expectations: PodExpectations;
  readonly #random: () => number;

  constructor({ client, clock, expectations, random = Math.random }: PodWriterOptions) {
    this.#client = client;
    this.#clock = clock;
    this.#expectations = expectations;
    this.#random = random;
  }

  /**
   * Creates Pods in batches of 1, 2, 4, … and stops after a batch with a failure, so that what is bound to fail (a quota)
   * fails a few times only.
   */
  async create(job: DeepReadonly<Job>, places: readonly NewPod[], signal: AbortSignal): Promise<Outcome> {
    const done: string[] = [];
    const errors: { pod: string; error: unknown }[] = [];
    for (let from = 0, size = 1; from < places.length && errors.length === 0; from += size, size *= 2) {
      await Promise.all(
        places.slice(from, from + size).map(async (place) => {
          const name = this.#expectations.takeDoubtfulName(job.metadata.uid, place.index) ??
            newPodName(job.metadata.name, place.index, this.#random);
          try {
            if (await this.#createOne(job, place, name, signal)) done.push(name);
          } catch (error) {
            errors.push({ pod: name, error });
          }
        }),
      );
    }
    return { done, errors };
  }

  async #createOne(job: DeepReadonly<Job>, place: NewPod, name: string, signal: AbortSignal): Promise<boolean> {
    const namespace = job.metadata.namespace!;
    this.#expectations.creationStarts(job.metadata.uid, namespace, name, this.#clock.now());
    try {
      this.#expectations.created(
        await this.#client.create(PODS, makePod(job, place, name), { lane: "run", signal }),
      );
      return true;
    } catch (error) {
      if (error instanceof ApiError && error.isAlreadyExists) {
        const pod = await this.find(job, name, signal);
        if (pod) this.#expectations.created(pod);
        else this.#expectations.creationFailed(namespace, name);
        return pod !== undefined;
      }
      if (error instanceof ApiError && !error.isInDoubt) this.#expectations.creationFailed(namespace, name);
      else this.#expectations.creationInDoubt(job.metadata.uid, namespace, name, place.index);
      // Nothing can be created any more, and the namespace's end takes the Job with it.
      if (error instanceof ApiError && error.isNamespaceTerminating) return false;
      throw error;
    }
  }

  /** Asks the server about creations whose answer got lost. */
  async clearUpDoubts(job: DeepReadonly<Job>, signal: AbortSignal): Promise<void> {
    const { uid, namespace } = job.metadata;
    for (const doubt of [...this.#expectations.doubtsOf(uid)]) {
      // The cache may have shown it while we asked for another.
      if (doubt.checked || !this.#expectations.doubtsOf(uid).includes(doubt)) continue;
      // Announced like any other request: the cache may show the Pod before the answer is here.
      this.#expectations.creationStarts(uid, namespace!, doubt.name, this.#clock.now());
      let pod: Pod | undefined;
      try {
        pod = await this.find(job, doubt.name, signal);
      } finally {
        if (pod) this.#expectations.created(pod);
        else this.#expectations.creationFailed(namespace!, doubt.name);
      }
      if (pod) this.#expectations.clearDoubt(uid, doubt.name);
      else doubt.checked = true;
    }
  }

  /** Reads the Job's Pod of that name from the server; undefined where there is none, or another owner's. */
  async find(job: DeepReadonly<Job>, name: string, signal: AbortSignal): Promise<Pod | undefined> {
    const { namespace, uid: jobUid } = job.metadata;
    const pod = await this.#client.get(PODS, { name, namespace }, { signal }).catch(ignoreNotFound);
    return pod?.metadata.ownerReferences?.some(({ uid }) => uid === jobUid) ? pod : undefined;
  }

  /**
   * Deletes Pods that are to be counted, each only as it was seen: one that has ended meanwhile is left alone, and counts
   * for how it ended.
   */
  stop(job: DeepReadonly<Job>, pods: readonly PodView[], signal: AbortSignal): Promise<Outcome> {
    return this.#each(pods, (view) => this.#stop(job, view, signal));
  }

  /** Returns whether the Pod was deleted; false if it had ended, or was gone. */
  async #stop(job: DeepReadonly<Job>, { uid, pod: cached }: PodView, signal: AbortSignal): Promise<boolean> {
    let pod: DeepReadonly<Pod> | undefined = cached;
    for (let attempt = 1; pod?.metadata.uid === uid && !hasEnded(pod); attempt++) {
      try {
        await this.#delete(pod, { uid, resourceVersion: pod.metadata.resourceVersion }, signal);
        return true;
      } catch (error) {
        const hasChanged = error instanceof ApiError && error.isConflict;
        if (!hasChanged || attempt === MAX_STOP_ATTEMPTS) throw error;
      }
      pod = await this.find(job, pod.metadata.name, signal);
    }
    return false;
  }

  /**
   * Deletes Pods that are not to be counted. Their finalizer goes first, and only if they have not changed: one that has
   * just succeeded is not thrown away.
   */
  remove(pods: readonly PodView[], signal: AbortSignal): Promise<Outcome> {
    return this.#each(pods, async (view) => {
      if (view.tracked) await this.#untrack(view, { unchanged: true, signal });
      await this.#delete(view.pod, { uid: view.uid }, signal);
      return true;
    });
  }

  /** Lets go of Pods that have been counted: removes the finalizer that kept them until then. */
  untrack(pods: readonly PodView[], signal: AbortSignal): Promise<Outcome> {
    return this.#each(pods, async (view) => {
      await this.#untrack(view, { signal });
      return true;
    });
  }

  async #untrack(view: PodView, options: { unchanged?: boolean; signal: AbortSignal }): Promise<void> {
    const patch = untrackingPatch(view.pod, options);
    if (!patch) return;
    this.#expectations.untrackingStarts(view.uid);
    try {
      const { signal } = options;
      await this.#client.patch(PODS, nameOf(view.pod), patch, { lane: "status", signal }).catch(ignoreNotFound);
    } catch (error) {
      this.#expectations.untrackingFailed(view.uid);
      throw error;
    }
  }

  async #delete(
    pod: DeepReadonly<Pod>,
    preconditions: { uid: string; resourceVersion?: string },
    signal: AbortSignal,
  ): Promise<void> {
    this.#expectations.deletionStarts(pod.metadata.uid, this.#clock.now());
    try {
      await this.#client.delete(PODS, nameOf(pod), { preconditions, lane: "run", signal }).catch(ignoreNotFound);
    } catch (error) {
      this.#expectations.deletionFailed(pod.metadata.uid);
      throw error;
    }
  }

  /** `request` returns false for a Pod that it has left alone. */
  async #each(pods: readonly PodView[], request: (view: PodView) => Promise<boolean>): Promise<Outcome> {
    const done: string[] = [];
    const errors: { pod: string; error: unknown }[] = [];
    await Promise.all(pods.map(async (view) => {
      const pod = view.pod.metadata.name;
      try {
        if (await request(view)) done.push(pod);
      } catch (error) {
        errors.push({ pod, error });
      }
    }));
    return { done, errors };
  }
}

function nameOf({ metadata: { name, namespace } }: DeepReadonly<Pod>) {
  return { name, namespace };
}
