import { FLAVOURS } from "../../cronjob/api/flavour.ts";
import { contextNames, loadConnection } from "../../kube/connection.ts";
import { HttpKubeClient } from "../../kube/http_client.ts";
import type { KubeObject } from "../../kube/object.ts";
import { apiVersionOf } from "../../kube/resource.ts";
import { VERSION } from "../version.ts";
import type { Candidate, NameKind, Whereabouts } from "./complete.ts";

/** How long a user who has pressed a key waits at most. */
const PATIENCE_MS = 1_000;

/** No one reads more. */
const MOST_NAMES = 500;

/** Only what a name needs, where the server can leave out the rest. */
const NAMES_ONLY = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";

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
  namespaces: async (whereabouts, signal) => {
    const [names = []] = await listNames(whereabouts, signal, () => ["/api/v1/namespaces"]);
    return names.map((word) => ({ word }));
  },
  CronJobs: async (whereabouts, signal) => {
    const lists = await listNames(
      whereabouts,
      signal,
      (namespace) =>
        FLAVOURS.map(({ resource: { group, version, plural } }) => {
          return `/apis/${group}/${version}/namespaces/${encodeURIComponent(namespace)}/${plural}`;
        }),
    );
    return lists.flatMap((names, i) => {
      return names.map((word) => ({ word, description: apiVersionOf(FLAVOURS[i]!.resource) }));
    });
  },
};

/** Returns the names of the objects of each list; none of a list that may not be read, or is not there. */
async function listNames(
  { kubeconfig, context, namespace }: Whereabouts,
  signal: AbortSignal,
  pathsIn: (namespace: string) => string[],
): Promise<string[][]> {
  const connection = await loadConnection({ kubeconfig, context });
  await using client = HttpKubeClient.to(connection, { userAgent: `cronjob-controller/${VERSION} completion` });
  const list = async (path: string) => {
    const headers = { accept: NAMES_ONLY };
    const response = await client.raw(`${path}?limit=${MOST_NAMES}`, { headers, signal });
    const { items }: { items: KubeObject[] } = await response.json();
    return items.map(({ metadata }) => metadata.name);
  };
  const paths = pathsIn(namespace ?? connection.namespace ?? "default");
  const answers = await Promise.allSettled(paths.map(list));
  return answers.map((answer) => answer.status === "fulfilled" ? answer.value : []);
}
