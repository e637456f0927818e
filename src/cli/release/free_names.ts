import { JobsOfNamespaces } from "../../cronjob/adoption/jobs_of_namespaces.ts";
import { freeName } from "../../cronjob/adoption/release.ts";
import { keyOf } from "../../kube/object.ts";
import { attempt } from "../shared/cron_job_edits.ts";
import type { Targets } from "../shared/choice.ts";
import { withCluster } from "../shared/with_cluster.ts";

/** Takes the finalizer of `neverTwice` from all Jobs of a namespace, or of every one, whatever their CronJob. */
export async function runFreeNames(options: Targets): Promise<void> {
  await withCluster(options, "edit", async (client, place) => {
    const namespace = options.allNamespaces ? undefined : place.namespace;
    for (const job of await new JobsOfNamespaces(client).toFree({ namespace })) {
      const free = async () => {
        if (!options.dryRun) await freeName(client, job);
        console.log(`${options.dryRun ? "Would free" : "Freed"} Job ${keyOf(job)}`);
      };
      await attempt("free", job.metadata, free);
    }
  });
}
