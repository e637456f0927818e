// The settings of Argo CD that derive from the code, and from the Lua beside them.
import { DEFINED_FLAVOURS } from "../../src/cronjob/api/crd.ts";
import { yamlOf } from "../../src/manifests/yaml.ts";

/** Returns what Argo CD needs to know of CronJobs of the APIs that have a definition: to be merged into its settings. */
export async function argoCdSettings(): Promise<object> {
  const health = await read("health.lua");
  const names = ["run", "pause", "resume"];
  const action = async (name: string) => ({ name, "action.lua": await read(`actions/${name}.lua`) });
  const actions = yamlOf({
    "discovery.lua": await read("actions/discovery.lua"),
    definitions: await Promise.all(names.map(action)),
  });
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "argocd-cm", namespace: "argocd" },
    data: Object.fromEntries(DEFINED_FLAVOURS.flatMap(({ resource: { group, kind } }) => [
      [`resource.customizations.health.${group}_${kind}`, health],
      [`resource.customizations.actions.${group}_${kind}`, actions],
    ])),
  };
}

function read(path: string): Promise<string> {
  return Deno.readTextFile(new URL(path, import.meta.url));
}
