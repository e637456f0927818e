import { parseField } from "../schedule/field.ts";
import type { FieldName } from "../schedule/field_item.ts";
import { parseSchedule } from "../schedule/parse_schedule.ts";
import { ScheduleError } from "../schedule/schedule_error.ts";
import { CRON_FIELDS, type CronTimes } from "./cron_times.ts";
import { CrontabError } from "./crontab_error.ts";

const DAYS_OF_MONTH = 31;
const DAYS_OF_WEEK = 7;

/**
 * Returns the same times as a schedule of Kubernetes, in the crontab's own words where both read them alike.
 *
 * @param text as the crontab has it
 * @throws {CrontabError} if Kubernetes has no schedule for it
 */
export function scheduleText(text: string, times: CronTimes): string {
  const wanted = wantedFields(times);
  if (text.startsWith("@")) return text;
  const written = text.split(" ");
  const schedule = CRON_FIELDS.map((field, i) =>
    meansTheSame(field, written[i]!, wanted[field]) ? written[i]! : fieldText(wanted[field])
  ).join(" ");
  if (parseSchedule(schedule).neverRuns) throw new CrontabError("cron never runs it: there is no such date");
  return schedule;
}

/** The meaning that a field is to have for Kubernetes. */
interface WantedField {
  readonly values: readonly number[];
  /** In a day field: whether the other day field alone decides. Undefined in all others, where a star is just every value. */
  readonly starred?: boolean;
}

/**
 * Returns the fields of the schedule. Kubernetes, like cron, wants both day fields to match only if one of them is a star; else
 * either suffices. A star with a step is a star for cron alone.
 */
function wantedFields({ fields, days }: CronTimes): Record<FieldName, WantedField> {
  const { minute, hour, "day-of-month": inMonth, month, "day-of-week": inWeek } = fields;
  const isEmpty = (values: readonly number[]) => values.length === 0;
  const noDay = days === "Either" ? isEmpty(inMonth) && isEmpty(inWeek) : isEmpty(inMonth) || isEmpty(inWeek);
  if (noDay || [minute, hour, month].some(isEmpty)) {
    throw new CrontabError("cron never runs it: the ends of a range are the wrong way round");
  }
  const limitsMonth = inMonth.length < DAYS_OF_MONTH, limitsWeek = inWeek.length < DAYS_OF_WEEK;
  if (days === "Both" && limitsMonth && limitsWeek) {
    throw new CrontabError(
      "one of the day fields begins with a star, so cron wants both to match, which Kubernetes has no schedule for: keep one, " +
        "and let the command check the other",
    );
  }
  const isAnyDay = days === "Either" && !(limitsMonth && limitsWeek);
  const wanted = (isRestricted: boolean, values: readonly number[]) =>
    isRestricted && !isAnyDay && !isEmpty(values) ? { values, starred: false } : { values: [], starred: true };
  return {
    "minute": { values: minute },
    "hour": { values: hour },
    "day-of-month": wanted(limitsMonth, inMonth),
    "month": { values: month },
    "day-of-week": wanted(limitsWeek, inWeek),
  };
}

function meansTheSame(field: FieldName, text: string, { values, starred }: WantedField): boolean {
  try {
    const read = parseField(field, text, undefined, "Kubernetes");
    if (starred !== undefined && starred !== read.starred) return false;
    return starred === true ? text.startsWith("*") && !text.includes(",") : read.values.join() === values.join();
  } catch (error) {
    if (error instanceof ScheduleError) return false;
    throw error;
  }
}

/** Returns the text of a field, such as `1-3,5`. */
function fieldText({ values, starred }: WantedField): string {
  if (starred) return "*";
  const ranges: [first: number, last: number][] = [];
  for (const value of values) {
    const range = ranges.at(-1);
    if (range?.[1] === value - 1) range[1] = value;
    else ranges.push([value, value]);
  }
  return ranges.map(([first, last]) => first === last ? `${first}` : `${first}-${last}`).join(",");
}
