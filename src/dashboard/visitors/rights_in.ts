import { type Flavour, FLAVOURS } from "../../cronjob/api/flavour.ts";
import { JOBS, PODS } from "../../kube/resource.ts";
import type { ResourceAttributes, Rights } from "../../kube/rights.ts";
import type { ActionName, RightsAnswer } from "../wire.ts";

type Attributes = Omit<ResourceAttributes, "namespace">;

/** Returns the requests that each action sends to the API server, for CronJobs of one API. */
function attributesOf(
  { resource, adoptable }: Flavour,
): Readonly<Record<ActionName, readonly Attributes[]>> {
  const patch: Attributes = { verb: "patch", resource };
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
  const may = async (attributes: Attributes) =>
    await rights.may({ ...attributes, namespace: undefined }) || await rights.may({ ...attributes, namespace });
  const mayAll = async (all: readonly Attributes[]) => (await Promise.all(all.map(may))).every(Boolean);
  const actionsOf = async (flavour: Flavour): Promise<[string, ActionName[]]> => {
    const actions = Object.entries(attributesOf(flavour)) as [ActionName, readonly Attributes[]][];
    const allowed = await Promise.all(actions.map(([, all]) => isReadOnly ? false : mayAll(all)));
    return [flavour.apiVersion, actions.filter((_, index) => allowed[index]).map(([name]) => name)];
  };
  const [mayReadLogs, ...actions] = await Promise.all([
    may({ verb: "get", resource: PODS, subresource: "log" }),
    ...FLAVOURS.map(actionsOf),
  ]);
  return { actions: Object.fromEntries(actions), mayReadLogs };
}
