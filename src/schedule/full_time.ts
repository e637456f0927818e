import type { EpochMs } from "../base/epoch_ms.ts";
import { timeZone } from "./time_zone.ts";

const WEEKDAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

/** Returns an instant in full: `Sat 2026-11-21 02:00 Europe/Berlin`. */
export function fullTime(instant: EpochMs, zone: string): string {
  return `${timeIn(zone, instant)} ${zone}`;
}

/** Returns an instant in full without its zone, for texts that name that already: `Sat 2026-11-21 02:00`. */
export function timeIn(zone: string, instant: EpochMs): string {
  const { date, weekday, clock } = wallOf(instant, zone);
  return `${weekday} ${date} ${clock}`;
}

/** Returns the date, weekday and time of a zone's wall clock: `02:00`, with seconds unless they are 0. */
export function wallOf(instant: EpochMs, zone: string): { date: string; weekday: string; clock: string } {
  const wall = new Date(timeZone(zone).wallAt(instant));
  const [date = "", time = ""] = wall.toISOString().slice(0, 19).split("T");
  return { date, weekday: WEEKDAYS[wall.getUTCDay()]!, clock: time.endsWith(":00") ? time.slice(0, 5) : time };
}
