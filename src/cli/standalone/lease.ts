import type { Flavour } from "../../cronjob/api/flavour.ts";
import { writeServes } from "../../cronjob/api/serves.ts";
import { ignoreNotFound } from "../../kube/api_error.ts";
import type { KubeClient } from "../../kube/client.ts";
import { LEASES } from "../../kube/resource.ts";
import type { Clock } from "../../base/clock.ts";
import type { EpochMs } from "../../base/epoch_ms.ts";
import { freeLease, heldLease } from "../../runtime/lease.ts";
import { loggerFor } from "../../telemetry/logging.ts";
import { OUR_LEASE } from "../cluster/lease_holder.ts";

const logger = loggerFor("standalone");

/** A `controller` with the kubeconfig of a data dir competes for this Lease. */
export const STANDALONE_LEASE = { namespace: "default", name: OUR_LEASE.name };

const identity = "standalone";

/** The longest that a Lease can say: 68 years. */
const leaseDurationMs = (2 ** 31 - 1) * 1_000;

/**
 * Says on the Lease whether this `standalone` runs CronJobs. It takes the Lease from any holder and never renews it: no one
 * can ask an API server that ends together with its controllers, and a predecessor in this data dir has ended. A Lease that
 * cannot be written, as on a full disk, keeps nothing from starting.
 */
export async function claimLease(
  client: KubeClient,
  { clock, flavours }: { readonly clock: Clock; readonly flavours: readonly Flavour[] },
): Promise<void> {
  try {
    if (flavours.length > 0) await hold(client, clock.now(), flavours);
    else await giveBack(client, clock.now());
  } catch (error) {
    logger.warn("Cannot say on the Lease who runs CronJobs: {error}", { error });
  }
}

async function hold(client: KubeClient, now: EpochMs, flavours: readonly Flavour[]): Promise<void> {
  const apis = flavours.map(({ apiVersion }) => apiVersion);
  const annotations = writeServes({ apis, managedOnly: false, namespaces: [] }, identity);
  const base = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: STANDALONE_LEASE };
  const body = heldLease(base, { identity, leaseDurationMs, now, annotations });
  await client.patch(LEASES, STANDALONE_LEASE, { type: "apply", body, fieldManager: identity, force: true });
}

/** A predecessor may have held it. */
async function giveBack(client: KubeClient, now: EpochMs): Promise<void> {
  const lease = await client.get(LEASES, STANDALONE_LEASE).catch(ignoreNotFound);
  if (lease?.spec?.holderIdentity === identity) await client.replace(LEASES, freeLease(lease, now));
}
