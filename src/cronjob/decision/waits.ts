import type { Child } from "../api/job.ts";
import { keepsOrder, type Settings } from "../api/settings.ts";
import type { DueTimes, Wait } from "./findings.ts";

/** Returns how a scheduled run waits for active Jobs, at least one. */
export function waitFor(by: readonly Child[], settings: Settings): Wait {
  const [oldest, ...others] = by;
  const { name } = oldest!.metadata;
  const whom = others.length === 0
    ? `${name}: starts when it ends`
    : `${name} and ${others.length} more: starts when one ends`;
  return {
    kind: "wait",
    reason: settings.policy === "Queue" ? "JobQueued" : "JobAlreadyActive",
    by,
    message: `for ${whom}${unlessLater(settings)} (${ruleOf(settings)})`,
  };
}

/** Returns what may come before a run that waits. */
export function unlessLater({ catchUp }: Settings): string {
  return catchUp === "All" ? "" : ", unless a later time comes first";
}

/** Returns the setting that lets no more runs be active at once. */
export function ruleOf({ policy, maxActive, maxParallel }: Settings): string {
  if (keepsOrder(policy)) return `concurrencyPolicy ${policy}`;
  if (maxActive !== Infinity && policy === "Allow") return `maxConcurrentRuns ${maxActive}`;
  return maxParallel === 1 ? "catchUp All" : `catchUp All, maxParallel ${maxParallel}`;
}

/** Returns how many runs wait, where more than one does: goes on after another sentence. */
export function aboutLine({ line }: DueTimes): string {
  return line && line.count > 1 ? `; ${line.count} runs wait in line` : "";
}
