import type { Row, RowRun } from "../../wire.ts";
import { useState } from "preact/hooks";
import { OUTCOMES, runInWords, runShape } from "./run_shapes.tsx";

const SLOTS = 10;
const STEP = 10;
const BAR = 7;
const HEIGHT = 24;

/**
 * The last runs, the newest at the right: each as high as it took long, beside the others. What each was in words is worked
 * out once the visitor points at them.
 */
export function Strip({ row: { lastRuns, zone } }: { row: Row }) {
  const [isPointedAt, setPointedAt] = useState(false);
  const runs = lastRuns.toReversed();
  const longest = Math.max(...runs.map(({ ms = 0 }) => ms), 1);
  const first = SLOTS - runs.length;
  return (
    <svg
      class="strip"
      width={SLOTS * STEP}
      height={HEIGHT}
      viewBox={`0 0 ${SLOTS * STEP} ${HEIGHT}`}
      role="img"
      aria-label={inWords(runs)}
      onPointerEnter={() => setPointedAt(true)}
    >
      <path class="ground" d={`M0 ${HEIGHT - 0.5}H${SLOTS * STEP}`} />
      {runs.map((run, index) =>
        runShape({
          outcome: run.outcome,
          title: isPointedAt ? runInWords(run, zone) : undefined,
          x: (first + index) * STEP + 1.5,
          y: HEIGHT - 1,
          width: BAR,
          height: heightOf(run, longest),
        })
      )}
    </svg>
  );
}

/** By the root, as a run of an hour beside one of a minute would leave nothing to see of the other. */
function heightOf({ ms, outcome }: RowRun, longest: number) {
  if (ms === undefined) return outcome === "Running" ? HEIGHT - 4 : 4;
  return 4 + (HEIGHT - 6) * Math.sqrt(ms / longest);
}

/** @param runs the oldest first */
export function inWords(runs: readonly RowRun[]) {
  if (runs.length === 0) return "No runs yet";
  const parts: { outcome: RowRun["outcome"]; count: number }[] = [];
  for (const { outcome } of runs) {
    const last = parts.at(-1);
    if (last?.outcome === outcome) last.count++;
    else parts.push({ outcome, count: 1 });
  }
  const said = parts.map(({ outcome, count }) => `${count} ${OUTCOMES[outcome]}`).join(", then ");
  return `Last ${runs.length === 1 ? "run" : `${runs.length} runs`}, oldest first: ${said}`;
}
