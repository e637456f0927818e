import { parseTime } from "../../base/epoch_ms.ts";
import { type PodView, readySince, restartsOf } from "../api/pod_view.ts";

/**
 * Sorts the Pods whose loss costs least to the front: those without a node, then by phase, not ready before ready, ready for
 * a shorter time before longer, more restarts before fewer, younger before older.
 */
export function byRemovalOrder(a: PodView, b: PodView): number {
  return rank(a) - rank(b) ||
    (readySince(b.pod) ?? Infinity) - (readySince(a.pod) ?? Infinity) ||
    restartsOf(b.pod) - restartsOf(a.pod) ||
    createdAt(b) - createdAt(a) ||
    (a.uid < b.uid ? -1 : 1);
}

const PHASE_RANK: Record<string, number> = { Pending: 0, Unknown: 1, Running: 2 };

function rank(view: PodView): number {
  const scheduled = view.pod.spec?.nodeName ? 1 : 0;
  return scheduled * 100 + (PHASE_RANK[view.phase] ?? 3) * 10 + (view.ready ? 1 : 0);
}

function createdAt(view: PodView): number {
  return parseTime(view.pod.metadata.creationTimestamp) ?? 0;
}
