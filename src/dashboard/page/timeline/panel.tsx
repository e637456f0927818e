import type { Row, Timeline, TimelineRow } from "../../wire.ts";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { useNow } from "../model/clock.ts";
import { useZone, VIEWERS_ZONE } from "../model/times.ts";
import { useWindow } from "../parts/window.ts";
import { Lane } from "./lane.tsx";
import { Button } from "../parts/elements.tsx";
import { type Scale, ticksOf, xOf } from "./scale.ts";
import { useAnswer } from "../parts/answer.ts";

const HOUR_MS = 3_600_000;

/** Rows of CronJobs over time, with now in the middle. A still one cannot be moved. */
export function TimelinePanel(
  { rows, hours, isStill = false }: { rows: readonly Row[]; hours: number; isStill?: boolean },
) {
  const now = useNow();
  const [movedMs, setMovedMs] = useState(0);
  const [width, setWidth] = useState(0);
  const frame = useRef<HTMLDivElement | null>(null);
  const { ref, first, last, abovePx, belowPx } = useWindow<HTMLUListElement>(rows.length);
  const spanMs = hours * HOUR_MS;
  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) => entry && setWidth(entry.contentRect.width));
    if (frame.current) observer.observe(frame.current);
    return () => observer.disconnect();
  }, []);
  // Half a pixel of time: it moves on, but does not tremble.
  const stepMs = Math.max(1_000, Math.round(spanMs / 1_600 / 1_000) * 1_000);
  const middle = Math.floor(now / stepMs) * stepMs + movedMs;
  const scale = { from: middle - spanMs / 2, to: middle + spanMs / 2, width };
  const shown = rows.slice(first, last);
  // The requested stretch moves by quarters: a little time, or a little move, asks nothing anew.
  const quarter = spanMs / 4;
  const from = Math.floor(scale.from / quarter) * quarter;
  const { known, clockChanges } = useTimeline(shown, from, from + spanMs + quarter);
  const moving = useMoving({ msPerPx: spanMs / Math.max(1, width), spanMs, setMovedMs });
  return (
    <div
      class="card timeline"
      {...isStill ? {} : moving}
      tabindex={isStill ? undefined : 0}
      role="group"
      aria-label={isStill ? undefined : "Timeline: arrow keys move it"}
    >
      <div class="lane axis">
        <span class="lane-name quiet">{useZone(VIEWERS_ZONE)}</span>
        <div class="lane-time" ref={frame}>
          <Axis scale={scale} now={now} />
        </div>
      </div>
      <ul class="lanes" ref={ref}>
        {abovePx > 0 && <li class="space" style={{ height: `${abovePx}px` }}></li>}
        {shown.map((row) => (
          <Lane key={row.id} row={row} known={known.get(row.id)} clockChanges={clockChanges} scale={scale} now={now} />
        ))}
        {belowPx > 0 && <li class="space" style={{ height: `${belowPx}px` }}></li>}
      </ul>
      {movedMs !== 0 && <Button class="back-to-now" onClick={() => setMovedMs(0)}>Back to now</Button>}
    </div>
  );
}

/** Moved by dragging, and by arrow keys. */
function useMoving(
  { msPerPx, spanMs, setMovedMs }: {
    msPerPx: number;
    spanMs: number;
    setMovedMs: (change: (ms: number) => number) => void;
  },
) {
  const grip = useRef<number | undefined>(undefined);
  return {
    onKeyDown: (event: KeyboardEvent) => {
      const steps = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (steps === undefined) return;
      event.preventDefault();
      setMovedMs((ms) => ms + steps * spanMs / 8);
    },
    onPointerDown: (event: PointerEvent) => {
      if (event.button !== 0 || event.pointerType === "touch") return;
      if ((event.target as Element).closest(".lane-time")) grip.current = event.clientX;
    },
    onPointerMove: (event: PointerEvent) => {
      const before = grip.current;
      if (before === undefined || event.buttons === 0) return;
      grip.current = event.clientX;
      // A dragged run is not opened when it is let go.
      (event.currentTarget as Element).setPointerCapture(event.pointerId);
      setMovedMs((ms) => ms - (event.clientX - before) * msPerPx);
    },
    onPointerUp: () => grip.current = undefined,
  };
}

const HEIGHT = 28;

/** The times of the axis, by the viewer's wall clock. */
function Axis({ scale, now }: { scale: Scale; now: number }) {
  const nowX = xOf(scale, now);
  const zone = useZone(VIEWERS_ZONE);
  return (
    <svg width="100%" height={HEIGHT} aria-hidden="true">
      {ticksOf(scale, zone).filter(({ x }) => x > 24 && x < scale.width - 24 && Math.abs(x - nowX) > 36).map((
        { at, x, label, isDay },
      ) => <text key={at} class={isDay ? "day" : ""} x={x} y="18" text-anchor="middle">{label}</text>)}
      <text class="now" x={nowX} y="18" text-anchor="middle">now</text>
    </svg>
  );
}

/** Rows that are scrolled past quickly are not asked for. */
const SETTLE_MS = 150;
const MAX_ROWS = 200;

/** The known runs of these rows and this stretch; asked for again as rows change. */
function useTimeline(shown: readonly Row[], from: number, to: number) {
  const rows = useSame(shown);
  const query = new URLSearchParams({ from: String(from), to: String(to) });
  for (const { id } of rows.slice(0, MAX_ROWS)) query.append("id", id);
  const { value } = useAnswer<Timeline>(`/api/timeline?${query}`, rows, SETTLE_MS);
  const known = useMemo(() => new Map<string, TimelineRow>(value?.rows.map((row) => [row.id, row])), [value]);
  return { known, clockChanges: value?.clockChanges ?? [] };
}

/** The rows as they were before, as long as they are the same. */
function useSame(rows: readonly Row[]): readonly Row[] {
  const last = useRef(rows);
  const { current: before } = last;
  if (rows.length !== before.length || rows.some((row, index) => row !== before[index])) last.current = rows;
  return last.current;
}
