import { JobsOfNamespaces } from "../../cronjob/adoption/jobs_of_namespaces.ts";
import { freeName } from "../../cronjob/adoption/release.ts";
import type { Clock } from "../../base/clock.ts";
import type { KubeClient } from "../../kube/client.ts";
import { eachNamespace } from "../../kube/namespaces.ts";
import { keyOf, type ObjectName } from "../../kube/object.ts";
import { attempt } from "../cluster/cron_job_edits.ts";
import type { Targets } from "../flags/choice.ts";
import { holderOf, readLeaseOf } from "../cluster/lease_holder.ts";
import { withCluster } from "../cluster/with_cluster.ts";

/**
 * Takes the finalizer of `neverTwice` from all Jobs of given namespaces, or of every one, whatever their CronJob; after the end
 * of controllers that start Jobs until then, which may take `timeout` seconds.
 */
export async function runFreeNames(
  { afterLease, timeout, ...options }: Targets & {
    readonly afterLease?: ObjectName | undefined;
    readonly timeout: number;
  },
  clock: Clock,
): Promise<void> {
  await withCluster(options, "edit", async (client, place) => {
    if (afterLease) await endOfLeaders(client, afterLease, { clock, deadline: clock.monotonic() + timeout * 1_000 });
    const jobs = new JobsOfNamespaces(client);
    for (const namespace of eachNamespace(options.allNamespaces ? [] : place.namespace.split(","))) {
      const name = namespace ?? "all namespaces";
      for (const job of await attempt("list Jobs in", { name }, () => jobs.toFree({ namespace })) ?? []) {
        const free = async () => {
          if (!options.dryRun) await freeName(client, job);
          console.log(`${options.dryRun ? "Would free" : "Freed"} Job ${keyOf(job)}`);
        };
        await attempt("free", job.metadata, free);
      }
    }
  });
}

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
  name: ObjectName,
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
