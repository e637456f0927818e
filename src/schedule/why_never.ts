import { CalendarSchedule } from "./calendar_schedule.ts";
import { MONTH_NAMES } from "./month.ts";
import type { Schedule } from "./schedule.ts";
import { quote } from "./schedule_error.ts";

/** Returns why a schedule whose `neverRuns` is true never runs: `"0 2 30 2 *" never comes: no year has 30 February`. */
export function whyNever(schedule: Schedule): string {
  return `${quote(schedule.text)} never comes: ${missing(schedule)}`;
}

function missing(schedule: Schedule): string {
  if (!(schedule instanceof CalendarSchedule)) return "no date matches";
  const { dayOfMonth: [day], month, monthDays, minute, hour } = schedule.fields;
  const hasDates = minute.length > 0 && hour.length > 0 && month.length > 0 && monthDays === undefined;
  if (day === undefined || !hasDates) return "no date matches";
  return `no year has ${month.map((one) => `${day} ${MONTH_NAMES[one - 1]}`).join(" or ")}`;
}
