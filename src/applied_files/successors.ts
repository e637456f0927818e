import type { ApiError } from "../kube/api_error.ts";
import type { Plan } from "./plan.ts";
import { refusalOf } from "./refusal.ts";
import { type Applied, identityOf, type Wanted } from "./source.ts";

/** A plan that deletes a CronJob only if the server takes its successors, and the changes that it therefore leaves out. */
export interface SafePlan {
  readonly plan: Plan;
  readonly refused: readonly { readonly wanted: Wanted; readonly error: ApiError }[];
  /** CronJobs that are not wanted any more, and stay until the server takes the new ones of their file. */
  readonly staying: readonly Applied[];
}

/**
 * Tries new CronJobs of a file from which another is to be deleted. Where the server refuses one, the file's old CronJobs
 * stay and its new ones wait: else an edit with a mistake would delete a CronJob and put nothing in its place.
 *
 * @param tryOut applies an object as a dry run. A 404 refuses nothing: the plan itself may bring the namespace.
 */
export async function withSuccessors(
  plan: Plan,
  applied: readonly Applied[],
  tryOut: (wanted: Wanted) => Promise<unknown>,
): Promise<SafePlan> {
  const there = new Set(applied.map(identityOf));
  const origins = new Set(plan.removeFirst.map(({ origin }) => origin));
  const isNew = (wanted: Wanted) => wanted.object.kind === "CronJob" && !there.has(identityOf(wanted));
  const refused: { wanted: Wanted; error: ApiError }[] = [];
  for (const wanted of plan.apply.filter((each) => isNew(each) && origins.has(each.origin))) {
    const error = await refusalOf(tryOut(wanted));
    if (error && !error.isNotFound) refused.push({ wanted, error });
  }
  const held = new Set(refused.map(({ wanted }) => wanted.origin));
  const { removeFirst = [], staying = [] } = Object.groupBy(
    plan.removeFirst,
    ({ origin }) => held.has(origin) ? "staying" : "removeFirst",
  );
  const apply = plan.apply.filter((each) => !(isNew(each) && held.has(each.origin)));
  return { plan: { ...plan, removeFirst, apply }, refused, staying };
}
