import { type EpochMs, parseTime } from "../base/epoch_ms.ts";
import type { Pod } from "../kube/resource.ts";
import { graceMs, type Stop } from "./decide.ts";

/**
 * How far this node has come with a Pod.
 *
 * ```
 * unread -> untaken -> running -> over -> deleted -> removed
 * ```
 */
export type PodProgress =
  /** The files that an earlier process left for it are still to be read. */
  | "unread"
  | "untaken"
  /** Its containers run as `decide` says, until they are over. */
  | "running"
  /** Nothing runs and nothing will. */
  | "over"
  /** The API server has been asked to let go of the Pod. */
  | "deleted"
  | "removed";

/** Returns why and by when a Pod has to end, as its object says. `known` is the stop that is under way. */
export function stopOf(pod: Pod, known: Stop | undefined, now: EpochMs): Stop | undefined {
  const deletedBy = parseTime(pod.metadata.deletionTimestamp);
  if (deletedBy !== undefined) {
    // Kubernetes sets deletionTimestamp to the end of the grace period, cut to a second. Another deletion may only shorten that.
    const killAt = Math.min(deletedBy + 1_000, now + graceMs(pod), known?.killAt ?? Infinity);
    return { cause: known?.cause ?? "deleted", killAt };
  }
  return known ?? (isTerminal(pod) ? { cause: "terminal", killAt: now + graceMs(pod) } : undefined);
}

/** Returns whether the Pod's phase is a last one. */
export function isTerminal(pod: Pod): boolean {
  return pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
}
