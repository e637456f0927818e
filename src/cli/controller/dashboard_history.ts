import type { Clock } from "../../base/clock.ts";
import type { KeptHistory } from "../../dashboard/commands.ts";
import { RequestError } from "../../dashboard/http/answers.ts";
import type { KubeClient } from "../../kube/client.ts";
import { JOBS } from "../../kube/resource.ts";
import { Rights } from "../../kube/rights.ts";
import type { ClusterArchive } from "../../run_archive/cluster_archive.ts";
import { namespacesAsked } from "../../view/kept_runs.ts";

/** Returns the runs of an archive, those of a namespace for visitors who may list Jobs there. */
export function historyFor(archive: ClusterArchive, clock: Clock): KeptHistory {
  const rightsOf = new WeakMap<KubeClient, Rights>();
  const assertMayRead = async (client: KubeClient, namespace: string | undefined) => {
    const rights = rightsOf.getOrInsertComputed(client, () => new Rights(client, clock));
    if (await rights.may({ verb: "list", resource: JOBS, namespace })) return;
    const where = namespace === undefined
      ? "in all namespaces; name one with --namespace"
      : `in namespace ${namespace}`;
    throw new RequestError(403, "Forbidden", `You may not list Jobs ${where}`);
  };
  return {
    runs: async (client, asked) => {
      const namespaces = namespacesAsked(asked);
      const reviewed = namespaces.length === 0 ? [undefined] : namespaces;
      await Promise.all(reviewed.map((namespace) => assertMayRead(client, namespace)));
      return archive.runs(asked);
    },
    peerLines: (span) => archive.peerLines(span),
    // Logs go with their Pods.
    linesOf: async function* () {},
    watched: () => Promise.resolve(archive.watched()),
  };
}
