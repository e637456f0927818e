import { parseSchedule, type Schedule, type ScheduleOptions } from "../schedule/schedule.ts";
import { ScheduleError } from "../schedule/schedule_error.ts";

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
  if (grammar === "extended") return parseSchedule(text, { ...options, grammar: "Extended" });
  try {
    return parseSchedule(text, options);
  } catch (error) {
    if (!(error instanceof ScheduleError) || !isExtended(text, options)) throw error;
    throw new ScheduleError(error.field, error.text, `${error.remedy}; the grammar "extended" takes it`);
  }
}

function isExtended(text: string, options: Omit<ScheduleOptions, "grammar">): boolean {
  try {
    parseSchedule(text, { ...options, grammar: "Extended" });
    return true;
  } catch {
    return false;
  }
}
