import { parseTime } from "../../base/epoch_ms.ts";
import { type PodView, readySince, restartsOf } from "../api/pod_view.ts";

/**
 * Sorts the active Pods whose loss costs least to the front: those without a node, then by phase, not ready before ready, ready for
 * a shorter time before longer, more restarts before fewer, younger before older.
 */
export function byRemovalOrder(a: PodView, b: PodView): number {
  return Number(hasNode(a)) - Number(hasNode(b)) ||
    PHASES.indexOf(a.phase) - PHASES.indexOf(b.phase) ||
    Number(a.ready) - Number(b.ready) ||
    (readySince(b.pod) ?? Infinity) - (readySince(a.pod) ?? Infinity) ||
    restartsOf(b.pod) - restartsOf(a.pod) ||
    createdAt(b) - createdAt(a) ||
    (a.uid < b.uid ? -1 : 1);
}

/** Of Pods that have not ended. */
const PHASES: readonly PodView["phase"][] = ["Pending", "Unknown", "Running"];

function hasNode({ pod }: PodView): boolean {
  return Boolean(pod.spec?.nodeName);
}

function createdAt(view: PodView): number {
  return parseTime(view.pod.metadata.creationTimestamp) ?? 0;
}
