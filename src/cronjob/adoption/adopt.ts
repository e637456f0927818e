import type { ObjectName } from "../../kube/client.ts";
import type { CronJobObject } from "../api/types.ts";
import { adoptEdit, isEdited, whyNotAdopted } from "./adoption_edits.ts";
import { editCronJob, type JobsOfNamespaces, type Preview } from "./edit_cron_job.ts";

export interface Adoption {
  readonly outcome: "adopted" | "planned" | "adopted already";
  readonly cronJob: CronJobObject;
}

/**
 * Adopts a CronJob in one write. Its Jobs are taken over by the controller that runs it.
 *
 * @throws {Error} with the remedy where it can't be adopted as it is
 */
export async function adopt(
  jobs: JobsOfNamespaces,
  name: ObjectName,
  { dryRun, preview }: { dryRun: boolean; preview: Preview },
): Promise<Adoption> {
  let outcome: Adoption["outcome"] = "adopted already";
  const cronJob = await editCronJob(jobs.client, name, async (cronJob) => {
    const wanted = adoptEdit(cronJob);
    if (isEdited(cronJob, wanted)) {
      outcome = "adopted already";
      return undefined;
    }
    const reason = whyNotAdopted(cronJob);
    if (reason !== undefined) throw new Error(reason);
    preview(cronJob, wanted, await jobs.toHandOver(cronJob, { controller: false }));
    outcome = dryRun ? "planned" : "adopted";
    return dryRun ? undefined : wanted;
  });
  return { outcome, cronJob };
}
