import type { Scale } from "./scale.ts";
import { useZone, VIEWERS_ZONE } from "../model/times.ts";
import { ticksOf, xOf } from "./scale.ts";

const HEIGHT = 28;

/** The times of the axis, by the viewer's wall clock. */
export function Axis({ scale, now }: { scale: Scale; now: number }) {
  const nowX = xOf(scale, now);
  const zone = useZone(VIEWERS_ZONE);
  return (
    <svg width="100%" height={HEIGHT} aria-hidden="true">
      {ticksOf(scale, zone).filter(({ x }) => x > 16 && x < scale.width - 16 && Math.abs(x - nowX) > 36).map((
        { at, x, label, isDay },
      ) => <text key={at} class={isDay ? "day" : ""} x={x} y="18" text-anchor="middle">{label}</text>)}
      <text class="now" x={nowX} y="18" text-anchor="middle">now</text>
    </svg>
  );
}
