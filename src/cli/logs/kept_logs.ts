import type { KubeClient } from "../../kube/client.ts";
import { type KeptLog, type KeptRun, lastLogs } from "../../view/kept_runs.ts";
import { keptLogOf } from "../shared/kept_history.ts";
import type { ContainerLogOptions } from "./container_log.ts";

/** Prints what is remembered of what a Job that is gone wrote. Returns whether there was anything. */
export async function printKeptLogs(
  client: KubeClient,
  kept: readonly KeptRun[],
  { job, previous, tail, signal }: Pick<ContainerLogOptions, "previous" | "tail" | "signal"> & { readonly job: string },
): Promise<boolean> {
  const chosen = lastLogs(kept, { job, previous });
  for (const log of chosen) {
    for await (const line of keptLogOf(client, log, { tail, signal })) console.log(prefixOf(log, chosen) + line);
  }
  return chosen.length > 0;
}

function prefixOf({ pod, container }: KeptLog, all: readonly KeptLog[]): string {
  if (all.some((other) => other.pod === pod && other.container !== container)) return `${pod}/${container} | `;
  return all.some((other) => other.pod !== pod) ? `${pod} | ` : "";
}
