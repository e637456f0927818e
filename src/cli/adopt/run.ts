import { adopt } from "../../cronjob/adoption/adopt.ts";
import { adoptEdit } from "../../cronjob/adoption/adoption_edits.ts";
import type { CronJob } from "../../cronjob/api/cron_job.ts";
import { edited } from "../../cronjob/api/cron_job_edit.ts";
import { BATCH } from "../../cronjob/api/flavour.ts";
import { readCronJob } from "../../cronjob/api/read_cron_job.ts";
import { JobsOfNamespaces } from "../../cronjob/adoption/jobs_of_namespaces.ts";
import { keyOf, type ObjectName } from "../../kube/object.ts";
import type { Clock } from "../../base/clock.ts";
import type { EpochMs } from "../../base/epoch_ms.ts";
import { ConfigError } from "../errors.ts";
import { type Controllers, runnerOf } from "../../view/runner.ts";
import { firstLineOf } from "../../telemetry/message_of.ts";
import { attempt, isAppliedUnsuspended, previewOf } from "../cluster/cron_job_edits.ts";
import { withChosen } from "../cluster/with_chosen.ts";
import { Complaints } from "../print/complain.ts";
import type { Targets } from "../flags/choice.ts";

/** Adopts the CronJobs that are meant; with `force` whether or not a controller is there. */
export async function runAdopt(options: Targets & { readonly force: boolean }, clock: Clock): Promise<void> {
  let adopted = 0;
  await withChosen({ ...options, api: [BATCH] }, "edit", async (client, cronJobs, place) => {
    const names = cronJobs.map(({ metadata }) => metadata);
    if (!options.force && !options.dryRun) {
      const controllers = await place.controllers(clock);
      const complaints = new Complaints();
      for (const cronJob of cronJobs) assertIsRun(cronJob, controllers, { complaints, now: clock.now() });
    }
    const jobs = new JobsOfNamespaces(client);
    if (options.names.length > 0) await checkAll(jobs, names);
    for (const name of names) {
      await attempt("adopt", name, async () => {
        if (await adoptOne(jobs, name, options)) adopted++;
      });
    }
  });
  if (adopted === 0) return;
  console.log("It runs as long as the controller does: cronjob-controller release gives it back");
}

/** @throws {Error} naming those of the named ones that cannot be adopted: nothing is done to the others either */
async function checkAll(jobs: JobsOfNamespaces, names: readonly ObjectName[]): Promise<void> {
  const refused = await Promise.all(names.map(async (name) => {
    try {
      await adopt(jobs, name, { dryRun: true, preview: () => {} });
      return [];
    } catch (error) {
      return [`${name.name}: ${firstLineOf(error)}`];
    }
  }));
  if (refused.flat().length > 0) throw new Error(`Nothing was changed: ${refused.flat().join("; ")}`);
}

/** Returns whether there was anything to do, and it was done. */
async function adoptOne(jobs: JobsOfNamespaces, name: ObjectName, { dryRun }: Targets): Promise<boolean> {
  const { outcome, cronJob } = await adopt(jobs, name, { dryRun, preview: previewOf("adopted") });
  if (outcome === "adopted already") console.log(`CronJob ${keyOf(cronJob)} is adopted already`);
  if (outcome !== "adopted") return false;
  console.log(`Adopted CronJob ${keyOf(cronJob)}`);
  if (isAppliedUnsuspended(cronJob)) {
    console.log("Its manifest says suspend: false: change that to true before it is applied again");
  }
  return true;
}

/**
 * An adopted CronJob runs nowhere without a controller.
 *
 * @throws {ConfigError} where Leases show none that would run it
 */
function assertIsRun(
  { object, metadata }: CronJob,
  controllers: Controllers,
  { complaints, now }: { readonly complaints: Complaints; readonly now: EpochMs },
): void {
  const runner = runnerOf(readCronJob(BATCH, edited(object, adoptEdit(object))), controllers, now);
  const leads = runner.by === "cronjob-controller" ? runner.leads : "no";
  if (leads === "unknown") complaints.once(`Nothing shows whether what is adopted will run: ${runner.why}`);
  if (leads === "yes" || leads === "unknown") return;
  throw new ConfigError(
    `Nothing is adopted: ${
      keyOf({ metadata })
    } would run nowhere, as ${runner.why}. Install a controller (manifests), or give --force where ` +
      "one runs without a Lease",
  );
}
