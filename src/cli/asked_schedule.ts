import { parseSchedule, type Schedule, type ScheduleOptions } from "../schedule/schedule.ts";
import { ScheduleError } from "../schedule/schedule_error.ts";

/** A schedule that was asked about by its text alone, wherever that may stand. */
export interface AskedSchedule {
  readonly schedule: Schedule;
  /** Why Kubernetes' grammar has no such schedule; absent where it has. Who gives a name for `H` is not told of that. */
  readonly kubernetesError?: string;
}

/**
 * Reads what Kubernetes takes, and what only the tutorial's CRD and the annotation take.
 *
 * @throws {ScheduleError}
 */
export function readAskedSchedule(text: string, options: Omit<ScheduleOptions, "grammar">): AskedSchedule {
  try {
    return { schedule: parseSchedule(text, options) };
  } catch (error) {
    if (!(error instanceof ScheduleError)) throw error;
    return { schedule: parseSchedule(text, { ...options, grammar: "Extended" }), kubernetesError: error.message };
  }
}
