import type { ActionName, Row } from "../../wire.ts";
import { grouped } from "../model/numbers.ts";
import { nameOf } from "../model/order.ts";

/** The row that stands alone; undefined of several. */
export function onlyOf(rows: readonly Row[]) {
  return rows.length === 1 ? rows[0] : undefined;
}

function whichOnes(rows: readonly Row[]) {
  const only = onlyOf(rows);
  return only ? nameOf(only) : `${grouped(rows.length)} CronJobs`;
}

/** Where kube-controller-manager runs the CronJob, the program creates the Job of a run by hand itself. */
function isMadeHere({ runner }: Row) {
  return runner?.by === "kube-controller-manager";
}

/** `button` says what it is, and ends in dots where more is asked for; `does` is the button that answers the question. */
interface Text {
  readonly button: string;
  readonly title: (rows: readonly Row[]) => string;
  readonly means: (rows: readonly Row[]) => string;
  readonly does: string;
}

export const TEXTS: Readonly<Record<ActionName, Text>> = {
  run: {
    button: "Run now",
    title: (rows) => `Run ${whichOnes(rows)} now?`,
    means: (rows) =>
      rows.every(isMadeHere)
        ? "A Job is created at once, even beside active runs."
        : "A run starts at once, beside the schedule's. Active runs may hold it back, as the concurrency policy says.",
    does: "Run now",
  },
  pause: {
    button: "Pause…",
    title: (rows) => `Pause ${whichOnes(rows)}?`,
    means: () => "Nothing starts until then. Runs that are active go on.",
    does: "Pause",
  },
  resume: {
    button: "Resume",
    title: (rows) => `Resume ${whichOnes(rows)}?`,
    means: () =>
      "The schedule is followed again. Runs that came due meanwhile start as far as catchUp, onResume and the deadline allow.",
    does: "Resume",
  },
  "delete-job": {
    button: "Delete the Job…",
    title: (rows) =>
      rows.length === 1 ? `Delete the Job of ${whichOnes(rows)}?` : `Delete ${grouped(rows.length)} Jobs?`,
    means: (rows) => {
      const next = rows.every(({ state }) => state === "Blocked") ? ": the next run can start" : "";
      return `The run ends, and its Pods and their logs are gone${next}. This cannot be undone.`;
    },
    does: "Delete",
  },
  backfill: {
    button: "Back-fill…",
    title: (rows) => `Back-fill ${whichOnes(rows)}`,
    means: () => "Starts the runs of a period of the past. Runs of the schedule come first.",
    does: "Preview",
  },
  "cancel-backfill": {
    button: "Cancel the back-fill",
    title: (rows) => `Cancel the back-fill of ${whichOnes(rows)}?`,
    means: () => "Nothing more of it starts. Runs that are active go on.",
    does: "Cancel the back-fill",
  },
};
