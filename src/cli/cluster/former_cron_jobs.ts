import { FLAVOURS } from "../../cronjob/api/flavour.ts";
import { readCronJob } from "../../cronjob/api/read_cron_job.ts";
import type { KeptRun } from "../../view/kept_runs.ts";
import type { ViewInput } from "../../view/look.ts";

/**
 * Returns stand-ins for CronJobs of a name that are gone, one for each API of which runs are remembered: nothing but these
 * and the name is known of them.
 */
export function formerCronJobs(
  { namespace, name }: { readonly namespace: string; readonly name: string },
  { kept, ...known }: { readonly kept: readonly KeptRun[] } & Pick<ViewInput, "watched" | "now">,
): ViewInput[] {
  const metadata = { namespace, name, uid: "", resourceVersion: "", creationTimestamp: "" };
  return FLAVOURS.flatMap((flavour) => {
    const { apiVersion } = flavour;
    if (!kept.some((run) => run.apiVersion === apiVersion)) return [];
    const object = { apiVersion, kind: "CronJob", metadata, spec: { schedule: "", jobTemplate: {} } };
    return [{ ...known, kept, cronJob: readCronJob(flavour, object), jobs: [], isGone: true }];
  });
}
