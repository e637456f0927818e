import type { Findings } from "../cronjob/decision/findings.ts";
import { inLine } from "../cronjob/decision/line.ts";
import type { RunView } from "./cron_job_view.ts";

/** Returns the runs, where those that are recorded as waiting and do so no longer were skipped. */
export function withSkipped(runs: readonly RunView[], findings: Findings): readonly RunView[] {
  if (!runs.some(({ outcome }) => outcome === "Waiting")) return runs;
  const waiting = inLine(findings);
  const isOver = ({ outcome, scheduledTime }: RunView) => outcome === "Waiting" && !waiting.includes(scheduledTime!);
  return runs.map((run) => isOver(run) ? { ...run, outcome: "Skipped" } : run);
}
