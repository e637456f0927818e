import { without } from "../../schedule/exclusions/excluding_schedule.ts";
import { partsOf } from "../../schedule/exclusions/parts.ts";
import { readExclusions } from "../../schedule/exclusions/read_exclusions.ts";
import { parseAsKubernetes } from "../../schedule/kubernetes_schedule.ts";
import { parseSchedule } from "../../schedule/parse_schedule.ts";
import type { Schedule } from "../../schedule/schedule.ts";
import { ScheduleError } from "../../schedule/schedule_error.ts";
import { checkTimeZone } from "../../schedule/check_time_zone.ts";
import { unionOf } from "../../schedule/union_schedule.ts";
import { whyNever } from "../../schedule/why_never.ts";
import { SCHEDULE } from "./annotations.ts";
import type { ScheduleProblem, ScheduleReading } from "./cron_job.ts";
import { hasZoneInside, type ScheduleSettings, type Settings } from "./settings.ts";

/** Reads the schedule, or returns the first problem: its message names the field, and says what is wrong as the parser does. */
export function readSchedule(settings: Settings): ScheduleReading {
  for (const entry of settings.schedules) {
    const error = errorOf(() => entry.timeZone === undefined || checkTimeZone(String(entry.timeZone)));
    if (error) return problem("UnknownTimeZone", `${zoneField(settings, entry)}: ${error.message}`);
  }
  const parts: Schedule[] = [];
  for (const entry of settings.schedules) {
    const error = errorOf(() => parts.push(partOf(settings, entry)));
    if (error && settings.unreadable) return problem(settings.unreadable.reason, settings.unreadable.message);
    if (error?.field.startsWith("exclude")) return problem("InvalidExclusion", `spec.${error.message}`);
    if (error) return problem("UnparseableSchedule", `${entry.field}: ${error.message}`);
  }
  const schedule = unionOf(parts);
  if (!schedule.neverRuns) {
    return {
      kind: "schedule",
      schedule,
      parts,
      withEach: (change) => unionOf(parts.map(change)),
    };
  }
  const { parts: unexcluded } = partsOf(schedule);
  const reasons = settings.schedules.map(({ field }, i) => `${field}: ${whyNever(unexcluded[i]!)}`);
  return problem("InvalidSchedule", reasons.join("; "));
}

function zoneField({ timeZone }: Settings, entry: ScheduleSettings): string {
  return entry.timeZone === timeZone ? "spec.timeZone" : entry.field.replace(/schedule$/, "timeZone");
}

function errorOf(read: () => unknown): ScheduleError | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    if (error instanceof ScheduleError) return error;
    throw error;
  }
}

/**
 * Returns the schedule that the settings ask for: the union of several, without the excluded times.
 *
 * @throws {ScheduleError}
 */
export function scheduleOf(settings: Settings): Schedule {
  return unionOf(settings.schedules.map((entry) => partOf(settings, entry)));
}

/** Returns one of the schedules. A zone inside the text wins over `timeZone`, as upstream has it. */
export function partOf(settings: Settings, { text, timeZone }: ScheduleSettings): Schedule {
  const { hashKey, clockChangePolicy } = settings;
  const zone = hasZoneInside(text) ? undefined : timeZone;
  if (zone !== undefined && typeof zone !== "string") {
    throw new ScheduleError("time-zone", String(zone), "must be a string");
  }
  const options = { timeZone: zone, clockChangePolicy };
  const whole = hashKey === undefined
    ? parseAsKubernetes(text, options, { hashKey: "any/name", hint: `the annotation ${SCHEDULE} takes it` })
    : parseSchedule(text, { ...options, grammar: "Extended", hashKey });
  return withoutExcluded(whole, settings);
}

/** Returns a schedule without the excluded times, which go by the zone of the only schedule; of several, by the CronJob's. */
function withoutExcluded(schedule: Schedule, { exclude, onExcluded, schedules, timeZone }: Settings): Schedule {
  if (exclude.length === 0) return schedule;
  const zone = schedules.length === 1 ? schedule.timeZone : timeZone ?? "UTC";
  return without(schedule, readExclusions(exclude, zone), onExcluded);
}

/** Returns the times of `expect.finishBy`; undefined without it, and for a text that the API server would refuse. */
export function readFinishTimes({ expect, clockChangePolicy }: Settings, timeZone: string): Schedule | undefined {
  const [, hours, minutes] = /^(\d\d):(\d\d)$/.exec(expect?.finishBy ?? "") ?? [];
  if (hours === undefined) return undefined;
  return parseSchedule(`${Number(minutes)} ${Number(hours)} * * *`, { timeZone, clockChangePolicy });
}

function problem(reason: ScheduleProblem, message: string): ScheduleReading {
  return { kind: "problem", reason, message };
}
