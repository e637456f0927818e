import type { EpochMs } from "../base/epoch_ms.ts";
import { wallOf } from "../schedule/full_time.ts";
import { formatDistance } from "./distance.ts";

const DAY_MS = 86_400_000;

/** Returns an instant on the wall clock of a zone, as short as it is clear: `02:00`, `Mon 02:00`, `2026-12-24 02:00`. */
export function nearTime(instant: EpochMs, zone: string, now: EpochMs): string {
  const distance = Math.abs(instant - now);
  const { date, weekday, clock } = wallOf(instant, zone);
  return distance < DAY_MS ? clock : distance < 6 * DAY_MS ? `${weekday} ${clock}` : `${date} ${clock}`;
}

/** Returns how long a run took: `<1s`, `45s`, `2h 4m`. */
export function durationText(ms: number): string {
  return ms < 1_000 ? "<1s" : distanceOf(0, ms);
}

/** `1d 1h`: how long it is from one instant to another. */
export function distanceOf(from: EpochMs, to: EpochMs): string {
  return formatDistance(Math.max(0, Math.round((to - from) / 1_000)));
}
