import type { RunViewOutcome } from "../../../view/cron_job_view.ts";
import { hatchingOf } from "./lane.tsx";
import { OutcomeLabel } from "../parts/run_shapes.tsx";

const SHOWN: readonly RunViewOutcome[] = ["Succeeded", "Failed", "Running", "Skipped", "Missed"];

const HATCHED = [["passed-over", "nothing was started"], ["unknown", "not known"]] as const;

/** The meaning of the shapes. */
export function Legend() {
  return (
    <ul class="bar legend quiet fine" aria-label="Shapes">
      {SHOWN.map((outcome) => (
        <li key={outcome}>
          <OutcomeLabel outcome={outcome} />
        </li>
      ))}
      <li>
        <svg width="12" height="18" aria-hidden="true">
          <rect class="planned" x="4" y="5" width="4" height="11.5" rx="1" />
        </svg>planned
      </li>
      {HATCHED.map(([of, label]) => (
        <li key={of}>
          <svg width="12" height="18" aria-hidden="true" class={`hatched ${of}`}>
            <rect x="0" y="6" width="12" height="10" />
            <path d={hatchingOf(0, 12, 16)} />
          </svg>
          {label}
        </li>
      ))}
    </ul>
  );
}
