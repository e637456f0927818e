import { ApiError } from "../../kube/api_error.ts";
import type { KubeClient } from "../../kube/client.ts";
import { makeKey } from "../../kube/object.ts";
import { LEASES } from "../../kube/resource.ts";
import { type LeaseFacts, readLease } from "../../view/lease_facts.ts";
import type { ViewInput } from "../../view/look.ts";
import { mayBeKubernetes } from "../../view/runner.ts";

interface LeaseName {
  readonly namespace: string;
  readonly name: string;
}

/** As `manifests` installs it. */
const OURS: LeaseName = { namespace: "cronjob-controller-system", name: "80807133.tutorial.kubebuilder.io" };
const KUBERNETES: LeaseName = { namespace: "kube-system", name: "kube-controller-manager" };

/** The Lease of the controller that runs a CronJob. */
export async function leaseOfController(client: KubeClient, { cronJob }: ViewInput): Promise<LeaseFacts> {
  const name = mayBeKubernetes(cronJob) ? KUBERNETES : OURS;
  const key = makeKey(name.namespace, name.name);
  try {
    return readLease(await client.get(LEASES, name));
  } catch (error) {
    if (error instanceof ApiError && error.isForbidden) return { kind: "forbidden", key };
    if (error instanceof ApiError && error.isNotFound) return { kind: "missing", key };
    throw error;
  }
}
