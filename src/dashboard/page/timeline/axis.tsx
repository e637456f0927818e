// @ts-check
/** @import { Scale } from "./scale.js" */
import { html } from "../html.js";
import { VIEWERS_ZONE } from "../model/times.js";
import { ticksOf, xOf } from "./scale.js";

const HEIGHT = 28;

/** What time it is where, by the viewer's wall clock. @param {{ scale: Scale, now: number }} props */
export function Axis({ scale, now }) {
  const nowX = xOf(scale, now);
  return html`
    <svg width="100%" height=${HEIGHT} aria-hidden="true">
      ${ticksOf(scale, VIEWERS_ZONE).filter(({ x }) => x > 16 && x < scale.width - 16 && Math.abs(x - nowX) > 36).map((
        { at, x, label, isDay },
      ) =>
        html`
          <text key=${at} class=${isDay ? "day" : ""} x=${x} y="18" text-anchor="middle">${label}</text>
        `
      )}
      <text class="now" x=${nowX} y="18" text-anchor="middle">now</text>
    </svg>
  `;
}
