import type { EpochMs } from "../schedule/epoch_ms.ts";
import { timeZone } from "../schedule/time_zone.ts";
import { formatDistance } from "./distance.ts";

const DAY_MS = 86_400_000;
const WEEKDAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

/** An instant on the wall clock of a zone, as short as it is clear: `02:00`, `Mon 02:00`, `2026-12-24 02:00`. */
export function nearTime(instant: EpochMs, zone: string, now: EpochMs): string {
  const distance = Math.abs(instant - now);
  const { date, weekday, clock } = wallOf(instant, zone);
  return distance < DAY_MS ? clock : distance < 6 * DAY_MS ? `${weekday} ${clock}` : `${date} ${clock}`;
}

/** An instant in full: `Sat 2026-11-21 02:00 Europe/Berlin`. */
export function fullTime(instant: EpochMs, zone: string): string {
  const { date, weekday, clock } = wallOf(instant, zone);
  return `${weekday} ${date} ${clock} ${zone}`;
}

/** `1d 1h`: how long it is from one instant to another. */
export function distanceOf(from: EpochMs, to: EpochMs): string {
  return formatDistance(Math.max(0, Math.round((to - from) / 1_000)));
}

function wallOf(instant: EpochMs, zone: string): { date: string; weekday: string; clock: string } {
  const wall = new Date(timeZone(zone).wallAt(instant));
  const [date, time] = wall.toISOString().slice(0, 19).split("T");
  return { date, weekday: WEEKDAYS[wall.getUTCDay()], clock: time.endsWith(":00") ? time.slice(0, 5) : time };
}
