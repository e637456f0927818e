import type { Row } from "../../wire.ts";
import type { State } from "../../../view/cron_job_view.ts";

/** Explains each state to a visitor who hovers over it. */
export const MEANINGS: Readonly<Record<State, string>> = {
  Contested: "Two controllers run it",
  Invalid: "Its spec cannot be followed",
  Stopped: "It starts nothing until you act",
  Blocked: "Active runs hold back what is due",
  Failing: "Its last run failed",
  Overdue: "A run is due and has not been started",
  Pending: "A run has been created, but its Pod has not started",
  Late: "A run started later than expected, or has not started",
  Slow: "A run has not succeeded by the time of the day that is expected, or three in a row were replaced",
  Stale: "No run has succeeded for longer than expected",
  Suspicious: "A run succeeded sooner than expected",
  Missed: "A run was not started inside its deadline",
  Paused: "It was paused",
  Suspended: "Its spec suspends it",
  Running: "A run is active",
  Waiting: "It waits for its next run",
  Ended: "Nothing is scheduled any more",
};

/** The numbers of CronJobs, by the groups of states that the page counts together. */
export interface Counts {
  readonly needAttention: number;
  readonly running: number;
  readonly paused: number;
  readonly fine: number;
}

export function countsOf(rows: readonly Pick<Row, "state" | "needsAttention">[]): Counts {
  const counts = { needAttention: 0, running: 0, paused: 0, fine: 0 };
  for (const row of rows) counts[groupOf(row)]++;
  return counts;
}

function groupOf({ state, needsAttention }: Pick<Row, "state" | "needsAttention">): keyof Counts {
  if (needsAttention) return "needAttention";
  if (state === "Running" || state === "Blocked") return "running";
  return state === "Paused" || state === "Suspended" ? "paused" : "fine";
}
