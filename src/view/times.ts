import type { EpochMs } from "../base/epoch_ms.ts";
import { wallOf } from "../schedule/full_time.ts";

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

const UNITS: readonly (readonly [name: string, seconds: number])[] = [
  ["y", 365 * 86_400],
  ["d", 86_400],
  ["h", 3_600],
  ["m", 60],
  ["s", 1],
];

/** Returns the two greatest units: `2d 4h`, `45s`. */
export function formatDistance(seconds: number): string {
  const first = UNITS.findIndex(([, unitSeconds]) => seconds >= unitSeconds);
  if (first < 0) return "0s";
  const parts: string[] = [];
  let left = seconds;
  for (const [name, unitSeconds] of UNITS.slice(first, first + 2)) {
    const count = Math.floor(left / unitSeconds);
    left -= count * unitSeconds;
    if (count > 0) parts.push(`${count}${name}`);
  }
  return parts.join(" ");
}
