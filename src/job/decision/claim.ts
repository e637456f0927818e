import type { DeepReadonly, Patch } from "../../kube/object.ts";
import type { Job, Pod } from "../../kube/resource.ts";
import { isFinished } from "../api/conditions.ts";
import { selects } from "../api/label_selector.ts";
import { TRACKING_FINALIZER } from "../api/names.ts";
import { isBeingDeleted } from "../api/spec.ts";
import { controllerReference } from "./pod_template.ts";

/**
 * Decides which Pods belong to a Job. It adopts Pods that its selector matches and that have no controller, and releases those of its own
 * that its selector no longer matches.
 */
export interface Claims {
  readonly adopt: readonly DeepReadonly<Pod>[];
  readonly release: readonly DeepReadonly<Pod>[];
}

/**
 * Returns what changes hands; nothing of a Job that has finished or is being deleted. `controlled` are those that name
 * it as their controller, `orphans` those of its namespace that name none.
 */
export function claimPods(
  job: DeepReadonly<Job>,
  { controlled, orphans }: { controlled: readonly DeepReadonly<Pod>[]; orphans: readonly DeepReadonly<Pod>[] },
): Claims {
  if (!job.spec?.selector || isBeingDeleted(job) || isFinished(job)) return { adopt: [], release: [] };
  const matches = (pod: DeepReadonly<Pod>) => selects(job.spec?.selector, pod.metadata.labels);
  return {
    adopt: orphans.filter((pod) => pod.metadata.deletionTimestamp === undefined && matches(pod)),
    release: controlled.filter((pod) => !matches(pod)),
  };
}

/** Both patches are refused if the Pod has changed meanwhile. */
export function adoptionPatch(job: DeepReadonly<Job>, pod: DeepReadonly<Pod>): Patch {
  const finalizers = pod.metadata.finalizers ?? [];
  return {
    type: "merge",
    body: {
      metadata: {
        uid: pod.metadata.uid,
        resourceVersion: pod.metadata.resourceVersion,
        ownerReferences: [...pod.metadata.ownerReferences ?? [], controllerReference(job)],
        finalizers: finalizers.includes(TRACKING_FINALIZER) ? finalizers : [...finalizers, TRACKING_FINALIZER],
      },
    },
  };
}

/** Takes away the owner reference and the finalizer. Its own controller, if it gets one, counts its end. */
export function releasePatch(job: DeepReadonly<Job>, pod: DeepReadonly<Pod>): Patch {
  const { uid, resourceVersion, ownerReferences = [], finalizers = [] } = pod.metadata;
  return {
    type: "merge",
    body: {
      metadata: {
        uid,
        resourceVersion,
        ownerReferences: ownerReferences.filter((reference) => reference.uid !== job.metadata.uid),
        finalizers: finalizers.filter((each) => each !== TRACKING_FINALIZER),
      },
    },
  };
}

/** Removes the tracking finalizer; undefined if there is none. With `unchanged`, only from the Pod as we know it. */
export function untrackingPatch(
  pod: DeepReadonly<Pod>,
  { unchanged = false }: { unchanged?: boolean } = {},
): Patch | undefined {
  const at = pod.metadata.finalizers?.indexOf(TRACKING_FINALIZER) ?? -1;
  if (at < 0) return undefined;
  const path = `/metadata/finalizers/${at}`;
  return {
    type: "json",
    operations: [
      { op: "test", path: "/metadata/uid", value: pod.metadata.uid },
      ...(unchanged ? [{ op: "test", path: "/metadata/resourceVersion", value: pod.metadata.resourceVersion }] : []),
      { op: "test", path, value: TRACKING_FINALIZER },
      { op: "remove", path },
    ],
  };
}
