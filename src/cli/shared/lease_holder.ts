import { ApiError } from "../../kube/api_error.ts";
import type { KubeClient } from "../../kube/client.ts";
import { makeKey } from "../../kube/object.ts";
import { LEASES } from "../../kube/resource.ts";
import type { EpochMs } from "../../schedule/epoch_ms.ts";
import { type LeaseFacts, readLease } from "../../view/lease_facts.ts";

export interface LeaseName {
  readonly namespace: string;
  readonly name: string;
}

/** As `manifests` installs it. */
export const OUR_LEASE: LeaseName = {
  namespace: "cronjob-controller-system",
  name: "80807133.tutorial.kubebuilder.io",
};
export const KUBERNETES_LEASE: LeaseName = { namespace: "kube-system", name: "kube-controller-manager" };

/** The clock here and that of the holder may differ by so much. */
const CLOCKS_DIFFER_MS = 30_000;

/** Returns what a Lease says of who leads, or why that cannot be known. */
export async function readLeaseOf(client: KubeClient, name: LeaseName): Promise<LeaseFacts> {
  const key = makeKey(name.namespace, name.name);
  try {
    return readLease(await client.get(LEASES, name));
  } catch (error) {
    if (error instanceof ApiError && error.isForbidden) return { kind: "forbidden", key };
    if (error instanceof ApiError && error.isNotFound) return { kind: "missing", key };
    throw error;
  }
}

/** Returns who leads now; undefined where no one does, as far as the Lease says. */
export function holderOf(lease: LeaseFacts, now: EpochMs): string | undefined {
  if (lease.kind !== "lease" || lease.holder === "") return undefined;
  return lease.endsAt !== undefined && lease.endsAt + CLOCKS_DIFFER_MS > now ? lease.holder : undefined;
}
