import type { Clock } from "../../base/clock.ts";
import type { KubeClient } from "../../kube/client.ts";
import { holderOf, type LeaseName, readLeaseOf } from "../cluster/lease_holder.ts";

const POLL_MS = 500;
/** A replica that stands by takes a Lease that is given back, unless it ends too, within its retry period of 2 s. */
const QUIET_MS = 5_000;

/**
 * Resolves once no controller has held a Lease for a while.
 *
 * @param deadline of the monotonic clock
 * @throws {Error} where a controller still holds it then, or the Lease may not be read
 */
export async function endOfLeaders(
  client: KubeClient,
  name: LeaseName,
  { clock, deadline }: { readonly clock: Clock; readonly deadline: number },
): Promise<void> {
  let heldAt = clock.monotonic();
  for (;;) {
    const lease = await readLeaseOf(client, name);
    if (lease.kind === "forbidden") throw new Error(`You may not read Lease ${lease.key}`);
    const holder = holderOf(lease, clock.now());
    const now = clock.monotonic();
    if (holder !== undefined) heldAt = now;
    if (now - heldAt >= QUIET_MS) return;
    if (holder !== undefined && now >= deadline) {
      throw new Error(`${holder} still holds Lease ${lease.key}: end it first`);
    }
    await clock.sleep(POLL_MS);
  }
}
