import type { Findings } from "../cronjob/decision/findings.ts";
import { stillWaiting, timesOf } from "../cronjob/decision/line.ts";
import type { EpochMs } from "../schedule/epoch_ms.ts";
import type { RunView } from "./cron_job_view.ts";

/** So many times of one line are looked at. */
const MAX_TIMES = 1_000;

/** Returns the scheduled times that are due and still to be started, oldest first: also those of a suspended CronJob. */
export function waitingTimes(findings: Findings): readonly EpochMs[] {
  const { scheduled, due, start: { schedule } } = findings;
  const isOpen = scheduled.kind === "wait" || scheduled.kind === "start" || scheduled.kind === "failed";
  const first = isOpen ? [scheduled.request.scheduledTime] : [];
  const parts = due.line?.held ?? stillWaiting(findings);
  const line = schedule ? timesOf(schedule, parts).take(MAX_TIMES) : [];
  return [...new Set([...first, ...line])].sort((a, b) => a - b);
}

/** Returns the runs, where those that are recorded as waiting and do so no longer were skipped. */
export function withSkipped(runs: readonly RunView[], findings: Findings): readonly RunView[] {
  if (!runs.some(({ outcome }) => outcome === "Waiting")) return runs;
  const waiting = waitingTimes(findings);
  const isOver = ({ outcome, scheduledTime }: RunView) => outcome === "Waiting" && !waiting.includes(scheduledTime!);
  return runs.map((run) => isOver(run) ? { ...run, outcome: "Skipped" } : run);
}
