import { ExcludingSchedule } from "../../schedule/exclusions/excluding_schedule.ts";
import { readExclusions } from "../../schedule/exclusions/read_exclusions.ts";
import { parseAsKubernetes } from "../../schedule/kubernetes_schedule.ts";
import { parseSchedule, type Schedule } from "../../schedule/schedule.ts";
import { ScheduleError } from "../../schedule/schedule_error.ts";
import { isTimeZone } from "../../schedule/time_zone.ts";
import { SCHEDULE } from "./annotations.ts";
import type { Settings } from "./settings.ts";

/** A schedule that can be followed, or why it can't be. */
export type ScheduleReading =
  | { readonly kind: "schedule"; readonly schedule: Schedule }
  | { readonly kind: "problem"; readonly reason: ScheduleProblem; readonly message: string };

export type ScheduleProblem = "UnknownTimeZone" | "UnparseableSchedule" | "InvalidSchedule" | "InvalidExclusion";

/** The texts are Kubernetes'. */
export function readSchedule(settings: Settings): ScheduleReading {
  const { timeZone } = settings;
  if (timeZone !== undefined && !isTimeZone(timeZone)) {
    return problem("UnknownTimeZone", `invalid timeZone: ${JSON.stringify(timeZone)}: unknown time zone ${timeZone}`);
  }
  let schedule: Schedule;
  try {
    schedule = scheduleOf(settings);
  } catch (error) {
    if (!(error instanceof ScheduleError)) throw error;
    if (error.field.startsWith("exclude")) return problem("InvalidExclusion", `spec.${error.message}`);
    const text = `unparseable schedule: ${JSON.stringify(settings.schedule)} : ${error.message}`;
    return problem("UnparseableSchedule", text);
  }
  if (!schedule.neverRuns) return { kind: "schedule", schedule };
  const text = `invalid schedule: ${settings.schedule} : time difference between two schedules is less than 1 second`;
  return problem("InvalidSchedule", text);
}

/**
 * Returns the schedule that the settings ask for. A zone inside the text wins over `timeZone`, as upstream has it.
 *
 * @throws {ScheduleError}
 */
export function scheduleOf(settings: Settings): Schedule {
  const { exclude, onExcluded } = settings;
  const base = withoutExclusions(settings);
  if (exclude.length === 0) return base;
  return new ExcludingSchedule(base, readExclusions(exclude, base.timeZone), onExcluded);
}

function withoutExclusions({ schedule, timeZone, hashKey, clockChangePolicy }: Settings): Schedule {
  const zone = hasZoneInside(schedule) ? undefined : timeZone;
  if (zone !== undefined && typeof zone !== "string") {
    throw new ScheduleError("time-zone", String(zone), "must be a string");
  }
  const options = { timeZone: zone, clockChangePolicy };
  return hashKey === undefined
    ? parseAsKubernetes(schedule, options, { hashKey: "any/name", hint: `the annotation ${SCHEDULE} takes it` })
    : parseSchedule(schedule, { ...options, grammar: "Extended", hashKey });
}

/** Whether the text names a zone by `TZ=` or `CRON_TZ=`. */
export function hasZoneInside(schedule: string): boolean {
  return schedule.includes("TZ");
}

function problem(reason: ScheduleProblem, message: string): ScheduleReading {
  return { kind: "problem", reason, message };
}
