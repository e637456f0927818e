import { JobsOfNamespaces } from "../../cronjob/adoption/jobs_of_namespaces.ts";
import { freeName } from "../../cronjob/adoption/release.ts";
import { SystemClock } from "../../base/clock.ts";
import { eachNamespace } from "../../kube/namespaces.ts";
import { keyOf } from "../../kube/object.ts";
import { attempt } from "../cluster/cron_job_edits.ts";
import type { Targets } from "../flags/choice.ts";
import type { LeaseName } from "../cluster/lease_holder.ts";
import { withCluster } from "../cluster/with_cluster.ts";
import { endOfLeaders } from "./end_of_leaders.ts";

export interface FreeNamesOptions extends Targets {
  /** The Lease of controllers that end, and start Jobs until they did. */
  readonly afterLease?: LeaseName;
  /** How long they may take, in seconds. */
  readonly timeout: number;
}

/** Takes the finalizer of `neverTwice` from all Jobs of given namespaces, or of every one, whatever their CronJob. */
export async function runFreeNames({ afterLease, timeout, ...options }: FreeNamesOptions): Promise<void> {
  const clock = new SystemClock();
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
