import { parseAsKubernetes } from "../../schedule/kubernetes_schedule.ts";
import { parseSchedule, type ScheduleOptions } from "../../schedule/parse_schedule.ts";
import type { Schedule } from "../../schedule/schedule.ts";

/** By whom a schedule is to be read: Kubernetes, or the tutorial's CRD and the annotation of `batch/v1`. */
export const GRAMMARS = ["kubernetes", "extended"] as const;
export type GrammarName = typeof GRAMMARS[number];

/**
 * Reads a schedule that was asked about by its text alone.
 *
 * @throws {ScheduleError} which says so where only the other grammar has such a schedule
 */
export function readAskedSchedule(
  text: string,
  grammar: GrammarName,
  options: Omit<ScheduleOptions, "grammar">,
): Schedule {
  return grammar === "extended"
    ? parseSchedule(text, { ...options, grammar: "Extended" })
    : parseAsKubernetes(text, options, { hashKey: options.hashKey, hint: 'the grammar "extended" takes it' });
}
