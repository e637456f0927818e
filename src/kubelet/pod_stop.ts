import type { Pod } from "../kube/resource.ts";
import { type EpochMs, parseTime } from "../schedule/epoch_ms.ts";
import { graceMs, type Stop } from "./decide.ts";

/** Returns why and by when a Pod has to end, as its object says. `known` is the stop that is under way. */
export function stopOf(pod: Pod, known: Stop | undefined, now: EpochMs): Stop | undefined {
  const deletedBy = parseTime(pod.metadata.deletionTimestamp);
  if (deletedBy !== undefined) {
    // Kubernetes sets deletionTimestamp to the end of the grace period, cut to a second. Asked again, it may only shrink.
    const killAt = Math.min(deletedBy + 1_000, now + graceMs(pod), known?.killAt ?? Infinity);
    return { cause: known?.cause ?? "deleted", killAt };
  }
  return known ?? (isTerminal(pod) ? { cause: "terminal", killAt: now + graceMs(pod) } : undefined);
}

/** Returns whether the Pod's phase is a last one. */
export function isTerminal(pod: Pod): boolean {
  return pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
}
