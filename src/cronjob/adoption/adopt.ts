import type { DeepReadonly, ObjectName } from "../../kube/object.ts";
import type { CronJobObject } from "../api/types.ts";
import { isEdited } from "../api/cron_job_edit.ts";
import { editCronJob } from "../edit_cron_job.ts";
import { adoptEdit, adoptionTarget, whyNotAdopted } from "./adoption_edits.ts";
import type { JobsOfNamespaces, Preview } from "./jobs_of_namespaces.ts";

export interface Adoption {
  readonly outcome: "adopted" | "planned" | "adopted already";
  readonly cronJob: DeepReadonly<CronJobObject>;
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
  const cronJob = await editCronJob(jobs.client, adoptionTarget(name), async (cronJob) => {
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
