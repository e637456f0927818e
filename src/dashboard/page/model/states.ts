// @ts-check
/** @import { State } from "../../../view/cron_job_view.ts" */

/** The worst first. @type {readonly State[]} */
export const STATES = [
  "Contested",
  "Invalid",
  "Stopped",
  "Blocked",
  "Failing",
  "Overdue",
  "Pending",
  "Missed",
  "Paused",
  "Suspended",
  "Running",
  "Waiting",
  "Ended",
];

/** Those that need a look: all up to this one. */
const LAST_TO_NEED_SOMEBODY = STATES.indexOf("Missed");

/** @param {State} state */
export function rankOf(state) {
  return STATES.indexOf(state);
}

/** @param {State} state */
export function needsSomebody(state) {
  return rankOf(state) <= LAST_TO_NEED_SOMEBODY;
}

/** What a state means, for who hovers over it. @type {Readonly<Record<State, string>>} */
export const MEANINGS = {
  Contested: "Two controllers run it",
  Invalid: "Its spec cannot be followed",
  Stopped: "It starts nothing until you act",
  Blocked: "Active runs hold back what is due",
  Failing: "Its last run failed",
  Overdue: "A run is due and has not been started",
  Pending: "A run has been created, but its Pod has not started",
  Missed: "A run was not started inside its deadline",
  Paused: "It was paused",
  Suspended: "Its spec suspends it",
  Running: "A run is active",
  Waiting: "It waits for its next run",
  Ended: "Nothing is scheduled any more",
};

/** How many CronJobs are in the states that belong together. */
/** @param {readonly { readonly state: State }[]} rows */
export function countsOf(rows) {
  const counts = { needSomebody: 0, running: 0, paused: 0, fine: 0 };
  for (const { state } of rows) {
    if (needsSomebody(state)) counts.needSomebody++;
    else if (state === "Running") counts.running++;
    else if (state === "Paused" || state === "Suspended") counts.paused++;
    else counts.fine++;
  }
  return counts;
}
