import { type Flavour, FLAVOURS } from "../../cronjob/api/flavour.ts";
import { JOBS, PODS } from "../../kube/resource.ts";
import type { Deed, Rights } from "../../kube/rights.ts";
import type { ActionName, RightsAnswer } from "../wire.ts";

type DeedOfAction = Omit<Deed, "namespace">;

/** Returns what each action asks of the API server, of CronJobs of one API. */
function deedsOf(
  { resource, adoptable }: Flavour,
): Readonly<Record<ActionName, readonly DeedOfAction[]>> {
  const patch: DeedOfAction = { verb: "patch", resource };
  return {
    // CronJobs that are not adopted are run by a Job that the visitor creates.
    run: adoptable ? [patch, { verb: "create", resource: JOBS }] : [patch],
    pause: [patch],
    resume: [patch],
    "delete-job": [{ verb: "delete", resource: JOBS }],
    backfill: [patch],
    "cancel-backfill": [patch],
  };
}

/** Returns what a visitor may do in a namespace, which they may also have been given in all of them. */
export async function rightsIn(
  namespace: string,
  { rights, isReadOnly }: { readonly rights: Rights; readonly isReadOnly: boolean },
): Promise<RightsAnswer> {
  const may = async (deed: DeedOfAction) =>
    await rights.may({ ...deed, namespace: undefined }) || await rights.may({ ...deed, namespace });
  const mayAll = async (deeds: readonly DeedOfAction[]) => (await Promise.all(deeds.map(may))).every(Boolean);
  const actionsOf = async (flavour: Flavour): Promise<[string, ActionName[]]> => {
    const deeds = Object.entries(deedsOf(flavour)) as [ActionName, readonly DeedOfAction[]][];
    const allowed = await Promise.all(deeds.map(([, deeds]) => isReadOnly ? false : mayAll(deeds)));
    return [flavour.apiVersion, deeds.filter((_, index) => allowed[index]).map(([name]) => name)];
  };
  const [mayReadLogs, ...actions] = await Promise.all([
    may({ verb: "get", resource: PODS, subresource: "log" }),
    ...FLAVOURS.map(actionsOf),
  ]);
  return { actions: Object.fromEntries(actions), mayReadLogs };
}
