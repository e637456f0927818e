import type { EpochMs } from "../base/epoch_ms.ts";
import { timeZone, type WallMs } from "../schedule/time_zone.ts";
import type { CronTimes } from "./cron_times.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Every date and weekday comes round sooner, February 29th too. */
const LONGEST_PAUSE_DAYS = 13 * 366;

/**
 * Returns the first `count` runs after `from`, as cron has them: day by day, with its rule for clock changes. An entry
 * with fixed times runs as soon as a gap is over, and in the first of two passes; one with a star goes by the wall clock.
 * Runs that fall on one instant after a gap count as one.
 */
export function cronRuns(times: CronTimes, zoneName: string, from: EpochMs, count: number): EpochMs[] {
  const zone = timeZone(zoneName);
  const runs = new Set<EpochMs>();
  // A day earlier and a day later, as a clock change moves what stands beside it.
  const firstDay = Math.floor(zone.wallAt(from) / DAY_MS) - 1;
  let extraDays = 0;
  for (let day = firstDay, lastFound = firstDay; day - lastFound < LONGEST_PAUSE_DAYS && extraDays < 2; day++) {
    if (dayMatches(times, day * DAY_MS)) {
      lastFound = day;
      for (const wall of wallTimes(times, day * DAY_MS)) {
        for (const run of instantsOf(wall, times, zoneName)) if (run > from) runs.add(run);
      }
    }
    if (runs.size >= count) extraDays++;
  }
  return [...runs].sort((a, b) => a - b).slice(0, count);
}

function dayMatches({ daysOfMonth, months, daysOfWeek, days }: CronTimes, midnight: WallMs): boolean {
  const date = new Date(midnight);
  const inMonth = daysOfMonth.includes(date.getUTCDate());
  const inWeek = daysOfWeek.includes(date.getUTCDay());
  return months.includes(date.getUTCMonth() + 1) && (days === "Both" ? inMonth && inWeek : inMonth || inWeek);
}

function wallTimes({ hours, minutes }: CronTimes, midnight: WallMs): WallMs[] {
  return hours.flatMap((hour) => minutes.map((minute) => midnight + hour * HOUR_MS + minute * MINUTE_MS));
}

function instantsOf(wall: WallMs, { isWildcard }: CronTimes, zoneName: string): EpochMs[] {
  const zone = timeZone(zoneName);
  const first = zone.firstInstantAt(wall);
  if (!isWildcard) return [first];
  return zone.wallAt(first) === wall ? [first, zone.lastInstantAt(wall)] : [];
}
