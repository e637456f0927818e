import { NAMESPACES } from "../kinds/namespace.ts";
import type { ServerContext } from "../operations/context.ts";
import { create } from "../operations/create.ts";

const DEFAULT_NAMESPACES = ["default", "kube-system", "kube-public", "kube-node-lease"];

/** Makes what every cluster has, where it is not there. */
export async function createDefaults({ storage }: ServerContext): Promise<void> {
  await storage.write((tx) => {
    for (const name of DEFAULT_NAMESPACES) {
      if (tx.get(NAMESPACES.storage, "", name)) continue;
      const { object } = NAMESPACES.read({ metadata: { name } });
      create(tx, object, { kind: NAMESPACES, namespace: "", options: { dryRun: false }, manager: undefined });
    }
  });
}
