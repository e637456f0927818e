import { FLAVOURS } from "../../cronjob/api/flavour.ts";
import { contextNames, loadConnection } from "../../kube/connection.ts";
import { HttpKubeClient } from "../../kube/http_client.ts";
import { apiVersionOf, NAMESPACES, type Resource } from "../../kube/resource.ts";
import { VERSION } from "../version.ts";
import type { Candidate, NameKind, Whereabouts } from "./complete.ts";

/** How long a user who has pressed a key waits at most. */
const PATIENCE_MS = 1_000;

/** No one reads more. */
const MOST_NAMES = 500;

/** Asks for names; none where that fails, or takes too long. */
export async function findNames(
  kind: NameKind,
  whereabouts: Whereabouts,
  patienceMs = PATIENCE_MS,
): Promise<Candidate[]> {
  const tooLate = AbortSignal.timeout(patienceMs);
  const late = new Promise<Candidate[]>((resolve) => tooLate.addEventListener("abort", () => resolve([])));
  try {
    return await Promise.race([FINDERS[kind](whereabouts, tooLate), late]);
  } catch {
    return [];
  }
}

type Finder = (whereabouts: Whereabouts, signal: AbortSignal) => Promise<Candidate[]>;

const FINDERS: Readonly<Record<NameKind, Finder>> = {
  contexts: async (whereabouts) => (await contextNames(whereabouts)).map((word) => ({ word })),
  namespaces: (whereabouts, signal) => listed(whereabouts, [NAMESPACES], signal),
  CronJobs: (whereabouts, signal) => listed(whereabouts, FLAVOURS.map(({ resource }) => resource), signal),
};

/** Returns the names of objects, those of CronJobs with their API; none of a list that may not be read, or is not there. */
async function listed(
  { kubeconfig, context, namespace }: Whereabouts,
  resources: readonly Resource[],
  signal: AbortSignal,
): Promise<Candidate[]> {
  const connection = await loadConnection({ kubeconfig, context });
  await using client = HttpKubeClient.to(connection, { userAgent: `cronjob-controller/${VERSION} completion` });
  const where = namespace ?? connection.namespace ?? "default";
  const lists = await Promise.allSettled(resources.map(async (resource) => {
    const options = { limit: MOST_NAMES, signal, ...resource.namespaced && { namespace: where } };
    const { items } = await client.list(resource, options);
    const description = resource.namespaced ? apiVersionOf(resource) : undefined;
    return items.map(({ metadata: { name } }) => ({ word: name, ...description && { description } }));
  }));
  return lists.flatMap((list) => list.status === "fulfilled" ? list.value : []);
}
