import { ApiError } from "../../kube/api_error.ts";
import type { KubeClient } from "../../kube/client.ts";
import { makeKey } from "../../kube/object.ts";
import { LEASES } from "../../kube/resource.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Controllers } from "../../view/runner.ts";
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

/** A renewal is due three times within the duration of a Lease. */
const RENEWALS = 3;

/** Returns which controllers a cluster has, as far as the Lease of ours says. */
export async function controllersOf(client: KubeClient, clock: Clock, isEmbedded: boolean): Promise<Controllers> {
  return isEmbedded ? { isEmbedded } : { isEmbedded, lease: await ourLease(client, clock) };
}

/** Reads our Lease; twice where it looks over, as its times are those of another clock: a renewal shows that it is not. */
async function ourLease(client: KubeClient, clock: Clock): Promise<LeaseFacts> {
  const lease = await readLeaseOf(client, OUR_LEASE);
  if (lease.kind !== "lease" || lease.renewedAt === undefined || lease.endsAt === undefined) return lease;
  const overMs = clock.now() - lease.endsAt;
  if (lease.holder === "" || overMs <= 0 || overMs > CLOCKS_DIFFER_MS) return lease;
  const durationMs = lease.endsAt - lease.renewedAt;
  await clock.sleep(durationMs / RENEWALS);
  const again = await readLeaseOf(client, OUR_LEASE);
  if (again.kind !== "lease" || again.renewedAt === lease.renewedAt) return again;
  return { ...again, endsAt: clock.now() + durationMs };
}
