import type { KubeClient } from "../../kube/client.ts";
import type { LeaseFacts } from "../../view/lease_facts.ts";
import type { ViewInput } from "../../view/look.ts";
import { mayBeKubernetes } from "../../view/runner.ts";
import { KUBERNETES_LEASE, OUR_LEASE, readLeaseOf } from "../shared/lease_holder.ts";

/** Returns the Lease of the controller that runs a CronJob. */
export async function leaseOfController(client: KubeClient, { cronJob }: ViewInput): Promise<LeaseFacts> {
  return await readLeaseOf(client, mayBeKubernetes(cronJob) ? KUBERNETES_LEASE : OUR_LEASE);
}
