import { ApiError } from "../../kube/api_error.ts";
import type { KubeClient } from "../../kube/client.ts";
import { makeKey, type ObjectName } from "../../kube/object.ts";
import { listAll } from "../../kube/paging.ts";
import { type Lease, LEASES } from "../../kube/resource.ts";
import { SERVES } from "../../cronjob/api/annotations.ts";
import type { Clock } from "../../base/clock.ts";
import type { ViewInput } from "../../view/look.ts";
import { type Controllers, leaseOf } from "../../view/runner.ts";
import type { EpochMs } from "../../base/epoch_ms.ts";
import { type LeaseFacts, readLease } from "../../view/lease_facts.ts";

/** As `manifests` installs it. */
export const OUR_LEASE = { namespace: "cronjob-controller-system", name: "cronjob-controller" };
export const KUBERNETES_LEASE = { namespace: "kube-system", name: "kube-controller-manager" };

/** The clock here and that of the holder may differ by so much. */
const CLOCKS_DIFFER_MS = 30_000;

/** Returns what a Lease says of who leads, or why that cannot be known. */
export async function readLeaseOf(client: KubeClient, name: ObjectName): Promise<LeaseFacts> {
  const key = makeKey(name.namespace, name.name);
  try {
    return readLease(await client.get(LEASES, name));
  } catch (error) {
    if (error instanceof ApiError && error.isForbidden) return { kind: "forbidden", key };
    if (error instanceof ApiError && error.isNotFound) return { kind: "missing", key };
    throw error;
  }
}

/** Returns what the Lease says of who runs a CronJob; undefined for a Job, which shows by itself that a controller led. */
export async function leaseFor(
  client: KubeClient,
  { cronJob, runner, now }: ViewInput,
  { job, controllers }: { readonly job: string | undefined; readonly controllers: Controllers },
): Promise<LeaseFacts | undefined> {
  if (job !== undefined) return undefined;
  return runner?.by === "kube-controller-manager"
    ? await readLeaseOf(client, KUBERNETES_LEASE)
    : leaseOf(cronJob, controllers, now);
}

/** Returns who leads now; undefined where no one does, as far as the Lease says. */
export function holderOf(lease: LeaseFacts, now: EpochMs): string | undefined {
  if (lease.kind !== "lease" || lease.holder === "") return undefined;
  return lease.endsAt !== undefined && lease.endsAt + CLOCKS_DIFFER_MS > now ? lease.holder : undefined;
}

/** A renewal is due three times within the duration of a Lease. */
const RENEWALS = 3;

/** Nodes have Leases of their own, thousands of them. */
const NOT_OF_NODES = { fieldSelector: "metadata.namespace!=kube-node-lease" };

/** Returns which controllers a cluster has, as far as Leases say. */
export async function controllersOf(client: KubeClient, clock: Clock, isEmbedded: boolean): Promise<Controllers> {
  const leases = await ourLeases(client);
  const waitMs = Math.max(...leases.map((lease) => doubtMs(lease, clock.now())));
  if (waitMs === 0) return { isEmbedded, leases };
  await clock.sleep(waitMs);
  const before = new Map(leases.map((lease) => [lease.key, lease]));
  const [first, ...others] = await ourLeases(client);
  const renewed = (lease: LeaseFacts) => ifRenewed(lease, before.get(lease.key), clock.now());
  return { isEmbedded, leases: [renewed(first), ...others.map(renewed)] };
}

/** A Lease's times are those of another clock: where it looks over, its renewal shows whether it is. */
function doubtMs(lease: LeaseFacts, now: EpochMs): number {
  if (lease.kind !== "lease" || lease.holder === "") return 0;
  const { renewedAt = 0, endsAt = Infinity } = lease;
  return endsAt < now && now - endsAt < CLOCKS_DIFFER_MS ? (endsAt - renewedAt) / RENEWALS : 0;
}

function ifRenewed(lease: LeaseFacts, before: LeaseFacts | undefined, now: EpochMs): LeaseFacts {
  if (lease.kind !== "lease" || before?.kind !== "lease" || lease.renewedAt === before.renewedAt) return lease;
  return { ...lease, endsAt: now + (lease.endsAt ?? 0) - (lease.renewedAt ?? 0) };
}

/** Returns the Leases of this program's controllers: the installed one first, others where all may be listed. */
async function ourLeases(client: KubeClient): Promise<[LeaseFacts, ...LeaseFacts[]]> {
  const isInstalled = ({ metadata: { namespace, name } }: Lease) =>
    namespace === OUR_LEASE.namespace && name === OUR_LEASE.name;
  try {
    const all = await Array.fromAsync(listAll(client, LEASES, NOT_OF_NODES));
    const ours = all.filter((lease) => isInstalled(lease) || lease.metadata.annotations?.[SERVES] !== undefined)
      .sort((a, b) => Number(isInstalled(b)) - Number(isInstalled(a))).map(readLease);
    const [first = { kind: "missing", key: makeKey(OUR_LEASE.namespace, OUR_LEASE.name) }, ...others] = ours;
    return [first, ...others];
  } catch (error) {
    if (!(error instanceof ApiError && (error.isForbidden || error.isNotFound))) throw error;
    return [await readLeaseOf(client, OUR_LEASE)];
  }
}
