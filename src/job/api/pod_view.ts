import type { DeepReadonly } from "../../kube/object.ts";
import type { Pod } from "../../kube/resource.ts";
import { type EpochMs, parseTime } from "../../base/epoch_ms.ts";
import { COMPLETION_INDEX, TRACKING_FINALIZER } from "./names.ts";

/** A Pod of a Job, as the Job controller sees it: what the cache shows, corrected by what we did since. */
export interface PodView {
  readonly pod: DeepReadonly<Pod>;
  readonly uid: string;
  /** The completion index; undefined if it has none, or one that is no number. */
  readonly index: number | undefined;
  /** It has the tracking finalizer: its end may still have to be counted. */
  readonly tracked: boolean;
  readonly phase: "Pending" | "Running" | "Succeeded" | "Failed" | "Unknown";
  /** Its deletion was requested. */
  readonly deleting: boolean;
  /** Neither ended nor on its way out. */
  readonly active: boolean;
  /** On its way out, and not ended yet. */
  readonly terminating: boolean;
  readonly ready: boolean;
}

/** Changes of Pods that are not in the cache yet. */
export interface PodCorrections {
  /** UIDs of Pods whose deletion was accepted. */
  readonly deleted: Pick<ReadonlySet<string>, "has">;
  /** UIDs of Pods whose finalizer was removed. */
  readonly untracked: Pick<ReadonlySet<string>, "has">;
}

const NO_CORRECTIONS: PodCorrections = { deleted: new Set(), untracked: new Set() };

const seen = new WeakMap<DeepReadonly<Pod>, PodView>();

/** Returns what a version of a Pod shows. A version is read once, however often it is viewed. */
export function viewPod(pod: DeepReadonly<Pod>, corrections: PodCorrections = NO_CORRECTIONS): PodView {
  const view = seen.getOrInsertComputed(pod, makeView);
  const deleted = !view.deleting && corrections.deleted.has(view.uid);
  const untracked = view.tracked && corrections.untracked.has(view.uid);
  if (!deleted && !untracked) return view;
  return {
    ...view,
    tracked: view.tracked && !untracked,
    ...(deleted && { deleting: true, active: false, terminating: view.active }),
  };
}

function makeView(pod: DeepReadonly<Pod>): PodView {
  const phase = (pod.status?.phase ?? "Pending") as PodView["phase"];
  const ended = hasEnded(pod);
  const deleting = pod.metadata.deletionTimestamp !== undefined;
  return {
    pod,
    uid: pod.metadata.uid,
    index: completionIndexOf(pod),
    tracked: pod.metadata.finalizers?.includes(TRACKING_FINALIZER) ?? false,
    phase,
    deleting,
    active: !ended && !deleting,
    terminating: !ended && deleting,
    ready: isReady(pod),
  };
}

/** Returns whether all its containers have ended for good; a Pod that is being deleted may not have. */
export function hasEnded(pod: DeepReadonly<Pod>): boolean {
  return pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
}

/** Returns the index that its annotation names; undefined for none, or for text that is no number. */
export function completionIndexOf(pod: DeepReadonly<Pod>): number | undefined {
  const text = pod.metadata.annotations?.[COMPLETION_INDEX];
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}

function isReady(pod: DeepReadonly<Pod>): boolean {
  return readyCondition(pod)?.status === "True";
}

function readyCondition(pod: DeepReadonly<Pod>) {
  return pod.status?.conditions?.find(({ type }) => type === "Ready");
}

/** Returns when it became ready; undefined while it is not. */
export function readySince(pod: DeepReadonly<Pod>): EpochMs | undefined {
  return isReady(pod) ? parseTime(readyCondition(pod)?.lastTransitionTime) : undefined;
}

/** Returns when the last container ended, as its status says; undefined where one has not, or there is none. */
export function containersEndedAt(pod: DeepReadonly<Pod>): EpochMs | undefined {
  const sidecars = new Set(
    pod.spec?.initContainers?.filter((container) => container.restartPolicy === "Always").map(({ name }) => name),
  );
  const statuses = [
    ...pod.status?.containerStatuses ?? [],
    ...(pod.status?.initContainerStatuses ?? []).filter(({ name }) => sidecars.has(name)),
  ];
  const ends = statuses.map((status) => parseTime(status.state?.terminated?.finishedAt));
  return ends.length > 0 && ends.every((end) => end !== undefined) ? Math.max(...ends as number[]) : undefined;
}

/**
 * Returns when the Pod ended: the end of its last container; else when it stopped being ready; else when its deletion was
 * asked for; else its creation. Sidecars (init containers that restart always) end after the others, so they take part.
 */
export function finishedAt(pod: DeepReadonly<Pod>): EpochMs {
  const ended = containersEndedAt(pod);
  if (ended !== undefined) return ended;

  const ready = readyCondition(pod);
  const unreadyAt = ready?.status === "False" ? parseTime(ready.lastTransitionTime) : undefined;
  if (unreadyAt !== undefined) return unreadyAt;

  const deadline = parseTime(pod.metadata.deletionTimestamp);
  if (deadline !== undefined) return deadline - (pod.metadata.deletionGracePeriodSeconds ?? 0) * 1000;
  return parseTime(pod.metadata.creationTimestamp) ?? 0;
}

/** Restarts of all its containers. */
export function restartsOf(pod: DeepReadonly<Pod>): number {
  return [...pod.status?.initContainerStatuses ?? [], ...pod.status?.containerStatuses ?? []]
    .reduce((sum, status) => sum + (status.restartCount ?? 0), 0);
}
