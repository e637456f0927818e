import { DEFINED_FLAVOURS } from "../cronjob/api/crd.ts";

/** The Lua of `deploy/argocd`. */
export interface ArgoCdScripts {
  readonly health: string;
  /** Lists the actions that a CronJob offers. */
  readonly discovery: string;
  /** By the actions' names. */
  readonly actions: Readonly<Record<string, string>>;
}

/** Returns what Argo CD needs to know of CronJobs of the APIs that have a definition: to be merged into its settings. */
export function argoCdSettings(
  { health, discovery, actions }: ArgoCdScripts,
  print: (object: unknown) => string,
): object {
  const definitions = Object.entries(actions).map(([name, script]) => ({ name, "action.lua": script }));
  const actionSettings = print({ "discovery.lua": discovery, definitions });
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "argocd-cm", namespace: "argocd" },
    data: Object.fromEntries(DEFINED_FLAVOURS.flatMap(({ resource: { group, kind } }) => [
      [`resource.customizations.health.${group}_${kind}`, health],
      [`resource.customizations.actions.${group}_${kind}`, actionSettings],
    ])),
  };
}
