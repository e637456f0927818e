import { CalendarSchedule } from "../schedule/calendar_schedule.ts";
import type { Schedule } from "../schedule/schedule.ts";
import { type Finding, finding } from "./finding.ts";

/** The first two fields of a schedule. */
const FIELDS = [
  { name: "minute", unit: "minutes", values: 60, around: "hour" },
  { name: "hour", unit: "hours", values: 24, around: "day" },
] as const;

/** Finds steps of 40 minutes or 7 hours, whose times begin anew with each hour or day. */
export function unevenSteps(schedule: Schedule, path: string): Finding[] {
  if (!(schedule instanceof CalendarSchedule) || schedule.text.startsWith("@")) return [];
  const texts = schedule.text.trim().split(/\s+/).slice(-5);
  return FIELDS.flatMap(({ name, unit, values, around }, i) => {
    const step = Number(/^(?:\*|H|0|0-59|0-23)\/(\d+)$/.exec(texts[i] ?? "")?.[1] ?? 1);
    if (values % step === 0) return [];
    const times = schedule.fields[name];
    if (times.length === 1) {
      const message = `${texts[i]} is ${name} ${times[0]} alone: the step is longer than the ${around}`;
      return [finding("uneven-step", path, message)];
    }
    const last = (times.at(-1) ?? 0) - (times[0] ?? 0);
    const message = `${texts[i]} does not divide the ${around} evenly: ${name} ${times.join(", ")}, and then after ` +
      `${values - last} ${unit} ${name} ${times[0]} again`;
    return [finding("uneven-step", path, message)];
  });
}
