import { type CronJobView, STATES } from "../../view/cron_job_view.ts";
import { timeOf } from "../../view/runs.ts";
import type { Order } from "./flags.ts";

/** Smallest first; what is the same goes by name. */
const RANKS: Record<Order, (view: CronJobView) => number> = {
  state: ({ state }) => STATES.indexOf(state),
  name: () => 0,
  next: ({ nextRun }) => nextRun?.kind === "known" ? nextRun.startsAt : Infinity,
  since: ({ since }) => -(since ?? -Infinity),
  last: ({ lastRuns: [last] }) => last === undefined ? Infinity : -timeOf(last),
};

/** Returns the views in that order, which is by namespace and name where it ranks them alike. */
export function ordered(views: readonly CronJobView[], by: Order): CronJobView[] {
  const rank = RANKS[by];
  return views.map((view) => ({ view, rank: rank(view), key: `${view.namespace}/${view.name}` }))
    .sort((a, b) => compare(a.rank, b.rank) || compare(a.key, b.key) || compare(a.view.apiVersion, b.view.apiVersion))
    .map(({ view }) => view);
}

function compare<T extends number | string>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
