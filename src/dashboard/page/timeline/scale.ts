import { wallOf } from "../../../schedule/full_time.ts";
import { timeZone } from "../../../schedule/time_zone.ts";

/** The stretch between two instants on so many pixels. */
export type Scale = { from: number; to: number; width: number };

export function xOf({ from, to, width }: Scale, at: number) {
  return (at - from) / (to - from) * width;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const STEPS_MS = [
  MINUTE_MS,
  5 * MINUTE_MS,
  10 * MINUTE_MS,
  15 * MINUTE_MS,
  30 * MINUTE_MS,
  HOUR_MS,
  2 * HOUR_MS,
  3 * HOUR_MS,
  6 * HOUR_MS,
  12 * HOUR_MS,
  24 * HOUR_MS,
];

/** Two labels stand no closer. */
const LABEL_PX = 64;

/** Where the axis has a label: at whole hours and the like by the wall clock of a zone. */
export function ticksOf(scale: Scale, zone: string) {
  const { from, to, width } = scale;
  if (width <= 0) return [];
  const least = (to - from) * LABEL_PX / width;
  const step = STEPS_MS.find((step) => step >= least) ?? 48 * HOUR_MS;
  const offsetMs = (at: number) => timeZone(zone).periodAt(at).offsetMs;
  const ticks = [];
  for (let wall = Math.ceil((from + offsetMs(from)) / step) * step;; wall += step) {
    const at = wall - offsetMs(wall - offsetMs(from));
    if (at > to) return ticks;
    // The clocks go forward over it.
    if (at + offsetMs(at) !== wall) continue;
    const { weekday, date, clock } = wallOf(at, zone);
    const isDay = clock === "00:00";
    ticks.push({ at, x: xOf(scale, at), isDay, label: isDay ? `${weekday} ${date.slice(8)}` : clock.slice(0, 5) });
  }
}

/**
 * Instants that lie too close to be distinguished become one stretch.
 * @param instants oldest first @returns in pixels
 */
export function stretchesOf(
  instants: readonly number[],
  scale: Scale,
  leastPx: number,
): { from: number; to: number; count: number }[] {
  const stretches: { from: number; to: number; count: number }[] = [];
  for (const instant of instants) {
    const x = xOf(scale, instant);
    const last = stretches.at(-1);
    if (last && x - last.to < leastPx) {
      last.to = x;
      last.count++;
    } else {
      stretches.push({ from: x, to: x, count: 1 });
    }
  }
  return stretches;
}
