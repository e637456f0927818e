import { CalendarSchedule } from "./calendar_schedule.ts";
import type { EpochMs } from "../base/epoch_ms.ts";
import { partsOf } from "./exclusions/parts.ts";
import { MONTH_NAMES } from "./month.ts";
import type { Schedule } from "./schedule.ts";
import { timeZone, type WallMs } from "./time_zone.ts";
import { UnionSchedule } from "./union_schedule.ts";

/** Whether a schedule names a time. */
export type NamedTime =
  | { readonly kind: "named"; readonly note: string | undefined }
  | { readonly kind: "excluded" }
  /** The clocks skip the local time that was asked about. */
  | { readonly kind: "gap" }
  | { readonly kind: "not named"; readonly reason: string };

/** Looks a time up in a schedule. `wall` is the wall-clock time that was asked about. */
export function nameTime(schedule: Schedule, time: EpochMs, wall?: WallMs): NamedTime {
  const zone = timeZone(schedule.timeZone);
  if (wall !== undefined && zone.wallAt(time) !== wall) return { kind: "gap" };
  if (schedule.next(time - 1) === time) return { kind: "named", note: clockChangeNote(schedule, time) };
  const { base, stretches } = partsOf(schedule);
  if (stretches && base.next(time - 1) === time) return { kind: "excluded" };
  return { kind: "not named", reason: whyNot(base, time) };
}

/** Returns what is special about a time that the clocks show twice. */
function clockChangeNote({ timeZone: name }: Schedule, time: EpochMs): string | undefined {
  const zone = timeZone(name);
  const wall = zone.wallAt(time);
  const [first, last] = [zone.firstInstantAt(wall), zone.lastInstantAt(wall)];
  if (first === last) return undefined;
  return time === first ? "the first of two, as the clocks go back" : "the second of two, as the clocks went back";
}

function whyNot(schedule: Schedule, time: EpochMs): string {
  if (schedule instanceof UnionSchedule) return `none of its ${schedule.parts.length} schedules names that time`;
  if (schedule instanceof CalendarSchedule) return mismatch(schedule, time);
  return "the interval does not end at that time";
}

const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/** Returns why the fields do not match a time: the largest that does not, from the month down to the minute. */
function mismatch({ fields, zone, text }: CalendarSchedule, time: EpochMs): string {
  const wall = new Date(zone.wallAt(time));
  const [minute, hour] = [wall.getUTCMinutes(), wall.getUTCHours()];
  const [month, day, weekday] = [wall.getUTCMonth() + 1, wall.getUTCDate(), wall.getUTCDay()];
  if (!fields.month.includes(month)) return `month: ${text} does not run in ${MONTH_NAMES[month - 1]}`;
  if (fields.monthDays === undefined) {
    const dayFits = fields.dayOfMonth.includes(day);
    const weekdayFits = fields.dayOfWeek.includes(weekday);
    if (fields.dayOfMonthStarred && !weekdayFits) return `day-of-week: ${text} does not run on a ${WEEKDAYS[weekday]}`;
    if (fields.dayOfWeekStarred && !dayFits) return `day-of-month: ${text} does not run on day ${day}`;
    if (!dayFits && !weekdayFits) return `day: ${text} runs neither on day ${day} nor on a ${WEEKDAYS[weekday]}`;
  }
  if (!fields.hour.includes(hour)) return `hour: ${text} does not run at hour ${hour}`;
  if (!fields.minute.includes(minute)) return `minute: ${text} does not run at minute ${minute}`;
  if (time % 60_000 !== 0) return "runs begin at whole minutes";
  const shown = zone.wallAt(time);
  return zone.firstInstantAt(shown) === zone.lastInstantAt(shown)
    ? `${text} does not name that date`
    : "that local time comes twice, and clockChangePolicy takes the other one";
}
