// @ts-check
/** @import { Row } from "../../wire.ts" */
import { html, useLayoutEffect, useRef, useState } from "../html.js";
import { useNow } from "../model/clock.js";
import { VIEWERS_ZONE } from "../model/times.js";
import { useWindow } from "../parts/window.js";
import { Axis } from "./axis.js";
import { useTimeline } from "./data.js";
import { Lane } from "./lane.js";

const HOUR_MS = 3_600_000;

/**
 * Rows of CronJobs over time, with now in the middle. A still one cannot be moved.
 *
 * @param {{ rows: readonly Row[], hours: number, isStill?: boolean }} props
 */
export function TimelinePanel({ rows, hours, isStill = false }) {
  const now = useNow();
  const [movedMs, setMovedMs] = useState(0);
  const width = useRef(0);
  const [, redraw] = useState(0);
  const frame = useRef(/** @type {HTMLElement | null} */ (null));
  const { ref, first, last, abovePx, belowPx } = useWindow(rows.length);
  const spanMs = hours * HOUR_MS;
  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      width.current = entry?.contentRect.width ?? width.current;
      redraw((count) => count + 1);
    });
    if (frame.current) observer.observe(frame.current);
    return () => observer.disconnect();
  }, []);
  // Half a pixel of time: it moves on, but does not tremble.
  const stepMs = Math.max(1_000, Math.round(spanMs / 1_600 / 1_000) * 1_000);
  const middle = Math.floor(now / stepMs) * stepMs + movedMs;
  const scale = { from: middle - spanMs / 2, to: middle + spanMs / 2, width: width.current };
  const shown = rows.slice(first, last);
  // What is asked for changes by quarters: a little time, or a little move, asks nothing anew.
  const quarter = spanMs / 4;
  const from = Math.floor(scale.from / quarter) * quarter;
  const known = useTimeline(shown, from, from + spanMs + quarter);
  const moving = useMoving({ msPerPx: spanMs / Math.max(1, width.current), spanMs, setMovedMs });
  return html`
    <div class="timeline" ...${isStill ? {} : moving} tabindex=${isStill
      ? undefined
      : 0} role="group" aria-label=${isStill ? undefined : "Timeline: arrow keys move it"}>
      <div class="lane axis">
        <span class="lane-name quiet">${VIEWERS_ZONE}</span>
        <div class="lane-time" ref=${frame}><${Axis} scale=${scale} now=${now} /></div>
      </div>
      <ul class="lanes" ref=${ref}>
        ${abovePx > 0 && html`<li class="space" style=${{ height: `${abovePx}px` }}></li>`}
        ${shown.map((row) =>
          html`
            <${Lane} key=${row.id} row=${row} known=${known.rows.get(row.id)} clockChanges=${known
              .clockChanges} scale=${scale}
              now=${now} />
          `
        )}
        ${belowPx > 0 && html`<li class="space" style=${{ height: `${belowPx}px` }}></li>`}
      </ul>
      ${movedMs !== 0 && html`<button class="back-to-now" onClick=${() => setMovedMs(0)}>Back to now</button>`}
    </div>
  `;
}

/** Moved by dragging, and by arrow keys. @param {{ msPerPx: number, spanMs: number, setMovedMs: (change: (ms: number) => number) => void }} options */
function useMoving({ msPerPx, spanMs, setMovedMs }) {
  const grip = useRef(/** @type {number | undefined} */ (undefined));
  return {
    onKeyDown: (/** @type {KeyboardEvent} */ event) => {
      const steps = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (steps === undefined) return;
      event.preventDefault();
      setMovedMs((ms) => ms + steps * spanMs / 8);
    },
    onPointerDown: (/** @type {PointerEvent} */ event) => {
      if (event.button !== 0 || event.pointerType === "touch") return;
      if (/** @type {Element} */ (event.target).closest(".lane-time")) grip.current = event.clientX;
    },
    onPointerMove: (/** @type {PointerEvent} */ event) => {
      const before = grip.current;
      if (before === undefined || event.buttons === 0) return;
      grip.current = event.clientX;
      // What is dragged is not opened when it is let go.
      /** @type {Element} */ (event.currentTarget).setPointerCapture(event.pointerId);
      setMovedMs((ms) => ms - (event.clientX - before) * msPerPx);
    },
    onPointerUp: () => grip.current = undefined,
  };
}
