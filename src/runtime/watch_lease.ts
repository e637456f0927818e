import type { KubeClient } from "../kube/client.ts";
import { type Lease, LEASES } from "../kube/resource.ts";
import type { Clock } from "../base/clock.ts";
import { Watcher } from "./watcher.ts";

/** Calls `onChange` with each version of a lease, and with undefined when it is deleted, until `signal` is aborted. */
export async function watchLease(
  options: { client: KubeClient; clock: Clock; namespace: string; name: string; random: () => number },
  signal: AbortSignal,
  onChange: (lease: Lease | undefined) => void,
): Promise<void> {
  const { name } = options;
  const watcher = new Watcher({ ...options, resource: LEASES, fieldSelector: `metadata.name=${name}` });
  for await (const event of watcher.events(signal)) {
    if (event.type !== "Apply" && event.type !== "Delete") continue;
    // Servers that know no such selector show all leases.
    if (event.object.metadata.name === name) onChange(event.type === "Apply" ? event.object : undefined);
  }
}
