import { ApiError } from "../../kube/api_error.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { KeptLog, KeptRun } from "../../view/kept_runs.ts";
import { linesOf } from "./lines_of.ts";
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
  try {
    const response = await client.raw(`/history/runs?${new URLSearchParams({ namespace, name, ...only })}`);
    const { runs }: { runs: KeptRun[] } = await response.json();
    return runs;
  } catch (error) {
    // One that keeps none, or not for this user.
    if (error instanceof ApiError && (error.isNotFound || error.isForbidden)) return [];
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
