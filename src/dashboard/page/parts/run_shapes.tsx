import type { VNode } from "preact";
import type { RowRun } from "../../wire.ts";
import { type RunViewOutcome, TRIGGERS } from "../../../view/cron_job_view.ts";
import { durationText } from "../../../view/times.ts";
import { fullTime } from "../../../schedule/full_time.ts";

/** The words for outcomes, as in "7 succeeded"; the worst first. */
export const OUTCOMES: Readonly<Record<RunViewOutcome, string>> = {
  Failed: "failed",
  Missed: "missed",
  Pending: "not started yet",
  Skipped: "skipped",
  Unknown: "unknown",
  Waiting: "waits",
  Running: "running",
  Succeeded: "succeeded",
};

/** A run in one line. */
export function runInWords({ at, outcome, ms, trigger, reason }: RowRun, zone: string) {
  return [
    `${fullTime(at, zone)}: ${OUTCOMES[outcome]}`,
    ...ms === undefined ? [] : [`took ${durationText(ms)}`],
    ...reason === undefined ? [] : [reason],
    ...trigger === undefined ? [] : [TRIGGERS[trigger]],
  ].join(", ");
}

/** An outcome as a shape and a word. */
export function OutcomeLabel({ outcome }: { outcome: RunViewOutcome }) {
  return (
    <span class="line nowrap">
      <svg width="12" height="18" aria-hidden="true">{runShape({ outcome, x: 3, y: 17, width: 6, height: 15 })}</svg>
      {OUTCOMES[outcome]}
    </span>
  );
}

/**
 * A run as a picture that stands on `y`: how it ended by its shape too, not by colour alone. A plain function, as a page
 * has thousands of them.
 */
export function runShape(
  { outcome, title, ...place }: {
    outcome: RunViewOutcome;
    x: number;
    y: number;
    width: number;
    height: number;
    title?: string | undefined;
  },
) {
  const shape = SHAPES[outcome]({ ...place, centre: place.x + place.width / 2 });
  return <g class={`run is-${outcome}`}>{title && <title>{title}</title>}{shape}</g>;
}

export type Place = { x: number; y: number; width: number; height: number; centre: number };

function bar({ x, y, width, height }: Place) {
  return <rect x={x} y={y - height} width={width} height={height} rx="1" />;
}

function cross({ centre, y }: Place, size: number) {
  const middle = y - size - 1;
  return (
    <path
      class="stroke"
      d={`M${centre - size} ${middle - size}l${2 * size} ${2 * size}m0 ${-2 * size}l${-2 * size} ${2 * size}`}
    />
  );
}

/** Three dots, of a run that has not begun. */
function dots({ centre, y }: Place) {
  return <>{[2, 7, 12].map((above) => <circle key={above} cx={centre} cy={y - above} r="1.5" />)}</>;
}

const SHAPES: Readonly<Record<RunViewOutcome, (place: Place) => VNode>> = {
  Succeeded: bar,
  // A bar with a cross on top
  Failed: (place) => {
    const height = Math.max(3, place.height - 8);
    return (
      <>
        {bar({ ...place, height })}
        {cross({ ...place, y: place.y - height - 0.5 }, 2.5)}
      </>
    );
  },
  // A frame
  Running: ({ x, y, width, height }) => (
    <rect class="stroke" x={x + 0.75} y={y - height} width={Math.max(1.5, width - 1.5)} height={height} rx="1" />
  ),
  Pending: dots,
  Waiting: dots,
  // A ring
  Skipped: ({ centre, y }) => <circle class="stroke" cx={centre} cy={y - 4} r="2.75" />,
  // A ring of dashes
  Missed: ({ centre, y }) => <circle class="stroke dashed" cx={centre} cy={y - 4} r="2.75" />,
  // A line
  Unknown: ({ x, y, width }) => <rect x={x} y={y - 2} width={width} height="2" />,
};
