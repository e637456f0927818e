import { ApiError } from "../../kube/api_error.ts";
import { makeKey } from "../../kube/object.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { EpochMs } from "../../base/epoch_ms.ts";
import type { KeptLog, KeptRun } from "../../view/kept_runs.ts";
import { linesOf } from "../../kube/lines_of.ts";
import type { RunsAsked } from "../../dashboard/commands.ts";
import type { ClusterPlace } from "./with_cluster.ts";

/** Returns what a `standalone` remembers of the runs of CronJobs of a name; nothing where the server is another. */
export async function keptRunsOf(
  client: KubeClient,
  { namespace, isEmbedded }: Pick<ClusterPlace, "namespace" | "isEmbedded">,
  name: string,
  only: RunsAsked = {},
): Promise<KeptRun[]> {
  if (!isEmbedded) return [];
  const answer = await answerOf<{ runs: KeptRun[] }>(client, "runs", { namespace, name, ...only });
  return answer?.runs ?? [];
}

/** Returns the newest runs that a `standalone` remembers of CronJobs, in their order; none where it keeps none. */
export async function recentRunsOf(
  client: KubeClient,
  cronJobs: readonly { readonly namespace: string; readonly name: string }[],
  only?: { readonly since: EpochMs; readonly until: EpochMs; readonly limit: number },
): Promise<readonly (readonly KeptRun[])[]> {
  const keys = cronJobs.map(({ namespace, name }) => ["cronjob", makeKey(namespace, name)])
    .concat(Object.entries(only ?? {}).map(([name, value]) => [name, String(value)]));
  const answer = await answerOf<{ recent: KeptRun[][] }>(client, "recent", keys);
  return answer?.recent ?? [];
}

/** Undefined where the server keeps none, or not for this user. */
async function answerOf<T>(
  client: KubeClient,
  page: string,
  query: ConstructorParameters<typeof URLSearchParams>[0],
): Promise<T | undefined> {
  try {
    return await (await client.raw(`/history/${page}?${new URLSearchParams(query)}`)).json();
  } catch (error) {
    if (error instanceof ApiError && (error.isNotFound || error.isForbidden)) return undefined;
    throw error;
  }
}

/** The lines of a log that is remembered. */
export async function* keptLogOf(
  client: KubeClient,
  { file }: KeptLog,
  { tail, maxCharacters, signal }: {
    readonly tail?: number;
    readonly maxCharacters?: number;
    readonly signal: AbortSignal;
  },
): AsyncGenerator<string> {
  const query = new URLSearchParams({ file });
  if (tail !== undefined) query.set("tailLines", String(tail));
  yield* linesOf(await client.raw(`/history/log?${query}`, { signal }), { maxCharacters });
}
