import { BATCH } from "../../cronjob/api/flavour.ts";
import { apiVersionOf } from "../../kube/resource.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { EpochMs } from "../../base/epoch_ms.ts";
import { ConfigError } from "../errors.ts";
import type { LeaseFacts } from "../../view/lease_facts.ts";
import { holderOf, ourLeases } from "../cluster/lease_holder.ts";

/**
 * An adopted CronJob runs nowhere without a controller: there must be one, as far as its Lease shows that.
 *
 * @throws {ConfigError} where none holds it
 */
export async function assertControllerIsThere(client: KubeClient, now: EpochMs): Promise<void> {
  const leases = await ourLeases(client);
  const isServed = (lease: LeaseFacts) =>
    lease.kind !== "lease" || (lease.serves?.apis.includes(apiVersionOf(BATCH.resource)) ?? true);
  if (leases.some((lease) => holderOf(lease, now) !== undefined && isServed(lease))) return;
  const [lease] = leases;
  if (lease.kind === "forbidden") {
    console.error(
      `You may not read Lease ${lease.key}: whether a controller is there to run what is adopted is not known`,
    );
    return;
  }
  const why = lease.kind === "missing"
    ? "there is no such Lease"
    : isServed(lease)
    ? "it is held by none"
    : `its holder runs ${lease.serves!.apis.join(", ")} alone`;
  throw new ConfigError(
    `Nothing is adopted: it would run nowhere, as Lease ${lease.key} shows no controller (${why}). Install one ` +
      "(manifests), or give --force where one runs without that Lease",
  );
}
