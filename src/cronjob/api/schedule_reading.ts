import type { EpochMs } from "../../schedule/epoch_ms.ts";
import { without } from "../../schedule/exclusions/excluding_schedule.ts";
import { readExclusions } from "../../schedule/exclusions/read_exclusions.ts";
import { parseAsKubernetes } from "../../schedule/kubernetes_schedule.ts";
import { parseSchedule } from "../../schedule/parse_schedule.ts";
import type { Schedule } from "../../schedule/schedule.ts";
import { ScheduleError } from "../../schedule/schedule_error.ts";
import { SinceSchedule } from "../../schedule/since_schedule.ts";
import { isTimeZone } from "../../schedule/time_zone.ts";
import { unionOf } from "../../schedule/union_schedule.ts";
import { SCHEDULE } from "./annotations.ts";
import type { ScheduleSettings, Settings } from "./settings.ts";

/** A schedule that can be followed, or why it can't be. */
export type ScheduleReading =
  | { readonly kind: "schedule"; readonly schedule: Schedule }
  | { readonly kind: "problem"; readonly reason: ScheduleProblem; readonly message: string };

export type ScheduleProblem = "UnknownTimeZone" | "UnparseableSchedule" | "InvalidSchedule" | "InvalidExclusion";

/** The texts are Kubernetes'. */
export function readSchedule(settings: Settings): ScheduleReading {
  for (const { timeZone } of settings.schedules) {
    if (timeZone !== undefined && !isTimeZone(timeZone)) {
      return problem("UnknownTimeZone", `invalid timeZone: ${JSON.stringify(timeZone)}: unknown time zone ${timeZone}`);
    }
  }
  let schedule: Schedule;
  try {
    schedule = scheduleOf(settings);
  } catch (error) {
    if (!(error instanceof ScheduleError)) throw error;
    if (error.field.startsWith("exclude")) return problem("InvalidExclusion", `spec.${error.message}`);
    const unread = settings.schedules.find((entry) => !isReadable(settings, entry))?.text;
    const text = `unparseable schedule: ${JSON.stringify(unread ?? settings.schedule)} : ${error.message}`;
    return problem("UnparseableSchedule", text);
  }
  if (!schedule.neverRuns) return { kind: "schedule", schedule };
  const text = `invalid schedule: ${settings.schedule} : time difference between two schedules is less than 1 second`;
  return problem("InvalidSchedule", text);
}

/**
 * Returns the schedule that the settings ask for: of several their union, without what is excluded. `since` says of each of
 * several from when on it counts.
 *
 * @throws {ScheduleError}
 */
export function scheduleOf(settings: Settings, since?: readonly EpochMs[]): Schedule {
  const parts = settings.schedules.map((entry, i) => partOf(settings, entry, since?.[i]));
  return unionOf(parts);
}

/** Returns one of the schedules: of several, `since` binds it. A zone inside the text wins over `timeZone`, as upstream has it. */
export function partOf(settings: Settings, { text, timeZone }: ScheduleSettings, since?: EpochMs): Schedule {
  const { hashKey, clockChangePolicy } = settings;
  const zone = hasZoneInside(text) ? undefined : timeZone;
  if (zone !== undefined && typeof zone !== "string") {
    throw new ScheduleError("time-zone", String(zone), "must be a string");
  }
  const options = { timeZone: zone, clockChangePolicy };
  const whole = hashKey === undefined
    ? parseAsKubernetes(text, options, { hashKey: "any/name", hint: `the annotation ${SCHEDULE} takes it` })
    : parseSchedule(text, { ...options, grammar: "Extended", hashKey });
  const schedule = withoutExcluded(whole, settings);
  return since === undefined ? schedule : new SinceSchedule(schedule, since);
}

/** What is excluded goes by the CronJob's zone: where there is one schedule, that is the schedule's. */
function withoutExcluded(schedule: Schedule, { exclude, onExcluded, schedules, timeZone }: Settings): Schedule {
  if (exclude.length === 0) return schedule;
  const zone = schedules.length === 1 ? schedule.timeZone : timeZone ?? "UTC";
  return without(schedule, readExclusions(exclude, zone), onExcluded);
}

function isReadable(settings: Settings, entry: ScheduleSettings): boolean {
  try {
    partOf(settings, entry);
    return true;
  } catch {
    return false;
  }
}

/** Returns whether the text names a zone by `TZ=` or `CRON_TZ=`. */
export function hasZoneInside(schedule: string): boolean {
  return schedule.includes("TZ");
}

function problem(reason: ScheduleProblem, message: string): ScheduleReading {
  return { kind: "problem", reason, message };
}
