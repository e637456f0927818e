import type { DeepReadonly } from "../../kube/object.ts";
import { keyOf, makeKey, type ObjectKey } from "../../kube/object.ts";
import type { Pod } from "../../kube/resource.ts";
import type { EpochMs } from "../../base/epoch_ms.ts";
import { TRACKING_FINALIZER } from "../api/names.ts";
import { completionIndexOf, type PodView, viewPod } from "../api/pod_view.ts";

/** How long a Pod that we created, or deleted, may take to show in the cache before we believe the cache again. */
export const EXPECTATION_TIMEOUT_MS = 5 * 60_000;

interface Creation {
  readonly jobUid: string;
  readonly expiresAt: EpochMs;
  /** Whether its name was that of a creation whose answer got lost. */
  readonly isRepeated: boolean;
  /** Undefined while the request is under way. */
  pod?: DeepReadonly<Pod>;
  /**
   * UID of the Pod of this name that the cache has shown since the request left. A creation whose answer got lost is made
   * again with its name, so this may be an older Pod that is gone.
   */
  seen?: string | undefined;
}

/** A creation whose answer got lost. */
export interface DoubtfulCreation {
  readonly name: string;
  readonly index: number | undefined;
  /** The server has been asked for it since, and did not have it. */
  checked?: boolean;
  /** It was made once more with its name: what the cache shows may be the one before, which is gone. */
  readonly isRepeated: boolean;
}

/**
 * Our changes of Pods that the cache does not show yet, so that nothing is done twice: a Pod just created counts as
 * there, one just deleted as going, one just untracked as untracked.
 *
 * Each request is announced before it is sent, since the cache may hear of it before its answer is here.
 */
export class PodExpectations {
  readonly #creations = new Map<ObjectKey, Creation>();
  readonly #byJob = new Map<string, Set<ObjectKey>>();
  readonly #deleted = new Map<string, EpochMs>();
  readonly #untracked = new Set<string>();
  /** Names of creations whose outcome is unknown, by Job and index: the next creation takes such a name first. */
  readonly #doubtful = new Map<string, DoubtfulCreation[]>();
  /** Names that were taken to be used again, until they are. */
  readonly #repeated = new Set<string>();

  /** Stops waiting for the cache: what was deleted may be deleted again, what was created is asked for. */
  expire(jobUid: string, now: EpochMs): void {
    for (const [uid, expiresAt] of this.#deleted) {
      if (expiresAt > now) break;
      this.#deleted.delete(uid);
    }
    for (const key of [...this.#byJob.get(jobUid) ?? []]) {
      const { expiresAt, pod } = this.#creations.get(key)!;
      if (expiresAt > now || !pod) continue;
      const { namespace, name } = pod.metadata;
      this.creationInDoubt(jobUid, namespace!, name, completionIndexOf(pod));
    }
  }

  /** The Job's Pods as they are, as far as anyone here knows. */
  podsOf(jobUid: string, cached: readonly DeepReadonly<Pod>[]): PodView[] {
    const corrections = { deleted: this.#deleted, untracked: this.#untracked };
    const views = cached.map((pod) => viewPod(pod, corrections));
    const created = this.#byJob.get(jobUid);
    if (!created) return views;
    const shown = new Set(views.map(({ uid }) => uid));
    for (const key of [...created]) {
      const { pod } = this.#creations.get(key)!;
      if (pod && shown.has(pod.metadata.uid)) this.#dropCreation(key);
      else if (pod) views.push(viewPod(pod, corrections));
    }
    return views;
  }

  doubtsOf(jobUid: string): readonly DoubtfulCreation[] {
    return this.#doubtful.get(jobUid) ?? [];
  }

  /** A name left over from a creation whose answer got lost. */
  takeDoubtfulName(jobUid: string, index: number | undefined): string | undefined {
    const names = this.#doubtful.get(jobUid) ?? [];
    const at = names.findIndex((each) => each.index === index);
    if (at < 0) return undefined;
    const [{ name }] = names.splice(at, 1) as [DoubtfulCreation];
    this.#repeated.add(name);
    return name;
  }

  clearDoubt(jobUid: string, name: string): void {
    const names = this.#doubtful.get(jobUid) ?? [];
    const at = names.findIndex((each) => each.name === name);
    if (at >= 0) names.splice(at, 1);
    if (names.length === 0) this.#doubtful.delete(jobUid);
  }

  creationStarts(jobUid: string, namespace: string, name: string, now: EpochMs): void {
    const key = makeKey(namespace, name);
    this.#creations.set(key, {
      jobUid,
      expiresAt: now + EXPECTATION_TIMEOUT_MS,
      isRepeated: this.#repeated.delete(name),
    });
    this.#byJob.getOrInsertComputed(jobUid, () => new Set()).add(key);
  }

  created(pod: DeepReadonly<Pod>): void {
    const creation = this.#creations.get(keyOf(pod));
    if (!creation) return;
    if (creation.seen === pod.metadata.uid) return this.#dropCreation(keyOf(pod));
    creation.pod = pod;
    creation.seen = undefined;
  }

  creationFailed(namespace: string, name: string): void {
    this.#dropCreation(makeKey(namespace, name));
  }

  /** Called when it is unknown whether the Pod was created. */
  creationInDoubt(jobUid: string, namespace: string, name: string, index: number | undefined): void {
    const key = makeKey(namespace, name);
    const { seen, isRepeated = false } = this.#creations.get(key) ?? {};
    this.#dropCreation(key);
    if (seen !== undefined && !isRepeated) return;
    this.#doubtful.getOrInsertComputed(jobUid, () => []).push({ name, index, isRepeated });
  }

  deletionStarts(uid: string, now: EpochMs): void {
    this.#deleted.set(uid, now + EXPECTATION_TIMEOUT_MS);
  }

  deletionFailed(uid: string): void {
    this.#deleted.delete(uid);
  }

  untrackingStarts(uid: string): void {
    this.#untracked.add(uid);
  }

  untrackingFailed(uid: string): void {
    this.#untracked.delete(uid);
  }

  /** Whether it is a Pod that we made, or are just making, and the cache has not shown yet. */
  expects(pod: DeepReadonly<Pod>): boolean {
    return this.#creations.has(keyOf(pod));
  }

  /** Called with each Pod that the cache adds or changes. */
  observe(pod: DeepReadonly<Pod>): void {
    const { uid, name, deletionTimestamp, finalizers } = pod.metadata;
    const key = keyOf(pod);
    const creation = this.#creations.get(key);
    if (creation && !creation.pod) creation.seen = uid;
    else if (creation?.pod?.metadata.uid === uid) this.#dropCreation(key);
    if (this.#doubtful.size > 0) {
      const owner = pod.metadata.ownerReferences?.find(({ controller }) => controller);
      if (owner && this.doubtsOf(owner.uid).some((doubt) => doubt.name === name && !doubt.isRepeated)) {
        this.clearDoubt(owner.uid, name);
      }
    }
    if (deletionTimestamp !== undefined) this.#deleted.delete(uid);
    if (!finalizers?.includes(TRACKING_FINALIZER)) this.#untracked.delete(uid);
  }

  /** Called with each Pod that left the cache. */
  observeGone(pod: DeepReadonly<Pod>): void {
    this.observe(pod);
    this.#deleted.delete(pod.metadata.uid);
    this.#untracked.delete(pod.metadata.uid);
  }

  forget(jobUid: string): void {
    for (const key of [...this.#byJob.get(jobUid) ?? []]) this.#dropCreation(key);
    this.#doubtful.delete(jobUid);
  }

  #dropCreation(key: ObjectKey): void {
    const creation = this.#creations.get(key);
    if (!creation) return;
    this.#creations.delete(key);
    const keys = this.#byJob.get(creation.jobUid);
    keys?.delete(key);
    if (keys?.size === 0) this.#byJob.delete(creation.jobUid);
  }
}
