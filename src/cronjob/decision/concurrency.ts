import { type Child, isGoingAway } from "../api/job.ts";
import type { Settings } from "../api/settings.ts";

/** What the concurrency policy says to one more run. */
export type PolicyAnswer =
  | { readonly kind: "start"; readonly replaces: readonly Child[] }
  | { readonly kind: "skip"; readonly message: string }
  | { readonly kind: "wait" };

/**
 * A Job counts as active until it has finished or is gone, whatever made it. One whose deletion is under way still runs,
 * so Forbid waits for it; Replace need not delete it again.
 */
export function admit({ policy, maxActive }: Settings, children: readonly Child[]): PolicyAnswer {
  const active = children.filter(({ state }) => state === "active");
  if (active.length < maxActive) return { kind: "start", replaces: [] };
  switch (policy) {
    case "Replace": {
      const excess = active.slice(0, active.length - maxActive + 1);
      return { kind: "start", replaces: excess.filter((child) => !isGoingAway(child)) };
    }
    case "Queue":
      return { kind: "wait" };
    case "Forbid":
      return {
        kind: "skip",
        message: "Not starting job because prior execution is running and concurrency policy is Forbid",
      };
    case "Allow":
      return {
        kind: "skip",
        message: `Not starting job because ${active.length} are running, as many as maxConcurrentRuns allows`,
      };
  }
}
