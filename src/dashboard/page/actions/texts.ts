import type { ActionName, Row } from "../../wire.ts";
import { grouped } from "../model/numbers.ts";
import { nameOf } from "../model/order.ts";

/** What the buttons say; those that ask for more end in dots. */
export const BUTTONS: Readonly<Record<ActionName, string>> = {
  run: "Run now",
  pause: "Pause…",
  resume: "Resume",
  "delete-job": "Delete the Job…",
  backfill: "Back-fill…",
  "cancel-backfill": "Cancel the back-fill",
};

/** The row that stands alone; undefined of several. */
export function onlyOf(rows: readonly Row[]) {
  return rows.length === 1 ? rows[0] : undefined;
}

function whichOnes(rows: readonly Row[]) {
  const only = onlyOf(rows);
  return only ? nameOf(only) : `${grouped(rows.length)} CronJobs`;
}

/** What is asked, what it means, and what the button says that does it. */
export const QUESTIONS: Readonly<
  Record<ActionName, { title: (rows: readonly Row[]) => string; means: string; does: string }>
> = {
  run: {
    title: (rows) => `Run ${whichOnes(rows)} now?`,
    means: "A run starts at once, beside the schedule's. Active runs may hold it back, as the concurrency policy says.",
    does: "Run now",
  },
  pause: {
    title: (rows) => `Pause ${whichOnes(rows)}?`,
    means: "Nothing starts until then. Runs that are active go on.",
    does: "Pause",
  },
  resume: {
    title: (rows) => `Resume ${whichOnes(rows)}?`,
    means: "The schedule is followed again from now on.",
    does: "Resume",
  },
  "delete-job": {
    title: (rows) =>
      rows.length === 1 ? `Delete the Job of ${whichOnes(rows)}?` : `Delete ${grouped(rows.length)} Jobs?`,
    means: "The run ends, its Pods and their logs are gone, and the next run can start. This cannot be undone.",
    does: "Delete",
  },
  backfill: {
    title: (rows) => `Back-fill ${whichOnes(rows)}`,
    means: "Starts the runs of a period of the past. Runs of the schedule come first.",
    does: "Preview",
  },
  "cancel-backfill": {
    title: (rows) => `Cancel the back-fill of ${whichOnes(rows)}?`,
    means: "Nothing more of it starts. Runs that are active go on.",
    does: "Cancel the back-fill",
  },
};
