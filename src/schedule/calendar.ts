import type { CalendarFields } from "./grammar.ts";
import { MatchingDays } from "./matching_days.ts";
import { DAY_MS } from "./month.ts";
import type { WallMs } from "./time_zone.ts";

export const MINUTE_MS = 60_000;

/** Returns whether no date and time can ever match, as with `0 0 31 2 *`. */
export function neverMatches(fields: CalendarFields): boolean {
  return fields.minute.length === 0 || fields.hour.length === 0 || new MatchingDays(fields).areNone;
}

/** Returns how many wall-clock times match in `from <= t < to`. */
export function countMatches(fields: CalendarFields, from: WallMs, to: WallMs): number {
  if (from >= to) return 0;
  const firstDay = Math.floor(from / DAY_MS);
  const lastDay = Math.floor(to / DAY_MS);
  const firstPart = timesBefore(fields, from - firstDay * DAY_MS);
  const lastPart = timesBefore(fields, to - lastDay * DAY_MS);
  const days = new MatchingDays(fields);
  return days.count(firstDay, lastDay) * fields.minute.length * fields.hour.length -
    days.count(firstDay, firstDay + 1) * firstPart + days.count(lastDay, lastDay + 1) * lastPart;
}

/** Returns how many of a matching day's times lie before `wallMs`, counted from its midnight. */
function timesBefore({ minute, hour }: CalendarFields, wallMs: number): number {
  const wholeMinutes = Math.ceil(wallMs / MINUTE_MS);
  const lastHour = Math.floor(wholeMinutes / 60);
  let count = 0;
  for (const h of hour) {
    if (h < lastHour) count += minute.length;
    else if (h === lastHour) count += minute.filter((m) => m < wholeMinutes % 60).length;
  }
  return count;
}
