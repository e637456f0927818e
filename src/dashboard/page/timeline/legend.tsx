import type { RunViewOutcome } from "../../../view/cron_job_view.ts";
import { runShape } from "../parts/run_shapes.tsx";

const SHOWN: readonly (readonly [outcome: RunViewOutcome, label: string])[] = [
  ["Succeeded", "ran"],
  ["Failed", "failed"],
  ["Running", "running"],
  ["Skipped", "skipped"],
  [
    "Missed",
    "missed",
  ],
];

/** What the shapes mean. */
export function Legend() {
  return (
    <ul class="legend" aria-label="Shapes">
      {SHOWN.map(([outcome, label]) => (
        <li key={outcome}>
          <svg width="12" height="18" aria-hidden="true">
            {runShape({
              outcome,
              x: 3,
              y: 17,
              width: 6,
              height: 15,
            })}
          </svg>
          {label}
        </li>
      ))}
      <li>
        <svg width="12" height="18" aria-hidden="true">
          <rect class="planned" x="4" y="5" width="4" height="11.5" rx="1" />
        </svg>planned
      </li>
    </ul>
  );
}
