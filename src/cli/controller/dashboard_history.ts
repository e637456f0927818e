import type { Clock } from "../../base/clock.ts";
import type { KeptHistory } from "../../dashboard/commands.ts";
import { RequestError } from "../../dashboard/http/answers.ts";
import type { KubeClient } from "../../kube/client.ts";
import { JOBS } from "../../kube/resource.ts";
import { Rights } from "../../kube/rights.ts";
import type { ClusterArchive } from "../../run_archive/cluster_archive.ts";

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
    runsOf: async (client, { namespace, name }, { api, job, limit }) => {
      await assertMayRead(client, namespace);
      const only = { apiVersion: api ?? null, job: job ?? null, limit: Number(limit ?? 0) };
      return archive.runsOf({ namespace, cronJob: name, ...only });
    },
    recentRunsOf: async (client, cronJobs, only) => {
      const namespaces = new Set(cronJobs.map(({ namespace }) => namespace));
      await Promise.all(Array.from(namespaces, (namespace) => assertMayRead(client, namespace)));
      return cronJobs.map(({ namespace, name: cronJob }) =>
        only ? archive.runsIn({ namespace, cronJob, ...only }) : archive.recentRunsOf({ namespace, cronJob })
      );
    },
    newestRuns: async (client, asked) => {
      await assertMayRead(client, asked.namespace);
      return archive.newestRuns(asked);
    },
    peerLines: (span) => archive.peerLines(span),
    // Logs go with their Pods.
    linesOf: async function* () {},
    watched: () => Promise.resolve(archive.watched()),
  };
}
