import { type Child, isGoingAway, takesPlace } from "../api/job.ts";
import type { Settings } from "../api/settings.ts";

/** The answer of the concurrency policy to one more run. */
export type PolicyAnswer =
  | { readonly kind: "start"; readonly replaces: readonly Child[] }
  /** Active Jobs hold it back, at least one. */
  | { readonly kind: "hold"; readonly by: readonly Child[] };

/**
 * A Job counts as active until it has finished or is gone, whatever made it. One whose deletion is under way still runs,
 * so Forbid waits for it; Replace need not delete it again.
 */
export function admit({ policy, maxActive }: Settings, children: readonly Child[]): PolicyAnswer {
  const active = children.filter(takesPlace);
  if (active.length < maxActive) return { kind: "start", replaces: [] };
  if (policy !== "Replace") return { kind: "hold", by: active };
  const excess = active.slice(0, active.length - maxActive + 1);
  return { kind: "start", replaces: excess.filter((child) => !isGoingAway(child)) };
}

/** The same to a missed run of `catchUp: All`: it comes after older ones, and replaces nothing. */
export function admitMissed(settings: Settings, children: readonly Child[], time: number): PolicyAnswer {
  const active = children.filter(takesPlace);
  const older = active.filter(({ scheduledTime = Infinity }) => scheduledTime < time);
  if (older.length >= settings.maxParallel) return { kind: "hold", by: older };
  return active.length >= settings.maxActive ? { kind: "hold", by: active } : { kind: "start", replaces: [] };
}
