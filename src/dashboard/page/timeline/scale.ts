import { wallOf } from "../../../schedule/full_time.ts";
import { timeZone } from "../../../schedule/time_zone.ts";

/** The stretch between two instants on so many pixels. */
export type Scale = { from: number; to: number; width: number };

export function xOf({ from, to, width }: Scale, at: number) {
  return (at - from) / (to - from) * width;
}

/** Between two labels, in minutes. */
const STEPS = [1, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1_440, 2_880];

/** Two labels stand no closer. */
const LABEL_PX = 64;

/** Where the axis has a label: at whole hours and the like by the wall clock of a zone. */
export function ticksOf(scale: Scale, zone: string) {
  const { from, to, width } = scale;
  if (width <= 0) return [];
  const least = (to - from) * LABEL_PX / width / 60_000;
  const step = 60_000 * (STEPS.find((step) => step >= least) ?? STEPS.at(-1)!);
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
