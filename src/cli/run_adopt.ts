import { adoptEdit, isEdited, whyNotAdopted } from "../cronjob/adoption/adoption_edits.ts";
import type { ObjectName } from "../kube/client.ts";
import { keyOf } from "../kube/object.ts";
import {
  attempt,
  diffOf,
  edit,
  isAppliedUnsuspended,
  JobsOfNamespaces,
  printer,
  withCronJobs,
} from "./cronjob_edits.ts";
import type { EditOptions } from "./edit_options.ts";

/** Adopts the CronJobs that are meant, each in one write; their Jobs are taken over by the controller that runs them. */
export async function runAdopt(options: EditOptions): Promise<void> {
  let adopted = 0;
  await withCronJobs(options, async (client, names) => {
    const jobs = new JobsOfNamespaces(client);
    for (const name of names) {
      await attempt("adopt", name, async () => {
        if (await adopt(jobs, name, options)) adopted++;
      });
    }
  });
  if (adopted === 0) return;
  console.log("They run as long as this does: cronjob-controller controller --api batch/v1 --managed-only");
}

/** Whether there was anything to do, and it was done. */
async function adopt(jobs: JobsOfNamespaces, name: ObjectName, { dryRun }: EditOptions): Promise<boolean> {
  const print = printer();
  let done = false;
  const cronJob = await edit(jobs.client, name, async (cronJob) => {
    const wanted = adoptEdit(cronJob);
    if (isEdited(cronJob, wanted)) {
      done = false;
      print(`CronJob ${keyOf(cronJob)} is adopted already`);
      return undefined;
    }
    const reason = whyNotAdopted(cronJob);
    if (reason !== undefined) throw new Error(reason);
    const taken = await jobs.toHandOver(cronJob, { controller: false });
    print(diffOf(cronJob, wanted, { became: "adopted", jobs: taken }));
    done = !dryRun;
    return dryRun ? undefined : wanted;
  });
  if (done) console.log(`Adopted CronJob ${keyOf(cronJob)}`);
  if (done && isAppliedUnsuspended(cronJob)) {
    console.log("Its manifest says suspend: false: let that say true before anybody applies it again");
  }
  return done;
}
