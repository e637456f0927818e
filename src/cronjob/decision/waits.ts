import type { Child } from "../api/job.ts";
import { keepsOrder, type Settings } from "../api/settings.ts";
import type { DueTimes, Wait } from "./findings.ts";

/** Returns how a scheduled run waits for active Jobs, at least one. */
export function waitFor(by: readonly Child[], settings: Settings): Wait {
  return {
    kind: "wait",
    reason: settings.policy === "Queue" ? "JobQueued" : "JobAlreadyActive",
    by,
    rule: ruleOf(settings),
    mayBeOvertaken: settings.catchUp !== "All",
  };
}

/**
 * Says what a run waits for: goes on after "waits". `holder` names one of the Jobs that hold it back, the oldest unless
 * given; `trouble` says why that Job does not end; `but` says why no controller would start the run then.
 */
export function waitText(
  { by, rule, mayBeOvertaken }: Wait,
  { holder = by[0]!.metadata.name, trouble, but }: {
    readonly holder?: string;
    readonly trouble?: string | undefined;
    readonly but?: string | undefined;
  } = {},
): string {
  const whom = by.length === 1 ? holder : `${holder} and ${by.length - 1} more`;
  const why = trouble === undefined ? ":" : `: ${trouble};`;
  const end = by.length === 1 ? "it ends" : "one ends";
  if (but !== undefined) return `for ${whom}${why} would start when ${end} (${rule}), but ${but}`;
  return `for ${whom}${why} starts when ${end}${mayBeOvertaken ? ", unless a later time comes first" : ""} (${rule})`;
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
