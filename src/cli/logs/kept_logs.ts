import type { KubeClient } from "../../kube/client.ts";
import { type KeptRun, lastLogs } from "../../view/kept_runs.ts";
import { keptLogOf } from "../cluster/kept_history.ts";
import type { PodLogOptions } from "../cluster/pod_log.ts";
import { prefixOf } from "./containers.ts";

/** Prints what is remembered of what a Job that is gone wrote. Returns whether there was anything. */
export async function printKeptLogs(
  client: KubeClient,
  kept: readonly KeptRun[],
  { job, previous, tail, signal }: Pick<PodLogOptions, "previous" | "tail" | "signal"> & { readonly job: string },
): Promise<boolean> {
  const logs = lastLogs(kept, { job, previous }).map((log) => ({ ...log, name: log.container }));
  const pods = new Set(logs.map(({ pod }) => pod)).size;
  for (const log of logs) {
    const prefix = prefixOf(log, logs, pods);
    for await (const line of keptLogOf(client, log, { tail, signal })) console.log(prefix + line);
  }
  return logs.length > 0;
}
