import { parseSchedule, type ScheduleOptions } from "./parse_schedule.ts";
import type { Schedule } from "./schedule.ts";
import { ScheduleError } from "./schedule_error.ts";

/**
 * Reads a schedule as Kubernetes does. One that only the extended grammar takes (with this `hashKey` for `H`) is refused
 * with the hint.
 *
 * @throws {ScheduleError}
 */
export function parseAsKubernetes(
  text: string,
  options: Omit<ScheduleOptions, "grammar">,
  { hashKey, hint }: { readonly hashKey: string | undefined; readonly hint: string },
): Schedule {
  try {
    return parseSchedule(text, options);
  } catch (error) {
    if (!(error instanceof ScheduleError) || !isExtended(text, { ...options, hashKey })) throw error;
    throw new ScheduleError(error.field, error.text, `${error.remedy}; ${hint}`);
  }
}

function isExtended(text: string, options: Omit<ScheduleOptions, "grammar">): boolean {
  try {
    parseSchedule(text, { ...options, grammar: "Extended" });
    return true;
  } catch (error) {
    if (error instanceof ScheduleError) return false;
    throw error;
  }
}
