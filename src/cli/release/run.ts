import { JobsOfNamespaces } from "../../cronjob/adoption/jobs_of_namespaces.ts";
import { finishRelease, handOverJobs, markForRelease } from "../../cronjob/adoption/release.ts";
import { MANAGED, WAITING } from "../../cronjob/api/annotations.ts";
import { managedProblem } from "../../cronjob/api/annotation_settings.ts";
import { readCronJob, withType } from "../../cronjob/api/read_cron_job.ts";
import { BATCH } from "../../cronjob/api/flavour.ts";
import { isManaged, isManagedUnread } from "../../cronjob/api/stewardship.ts";
import type { KubeClient } from "../../kube/client.ts";
import { listAll } from "../../kube/paging.ts";
import type { EpochMs } from "../../base/epoch_ms.ts";
import { headlinesOf } from "../../view/headline.ts";
import { type Controllers, runnerOf } from "../../view/runner.ts";
import { keyOf, type ObjectName } from "../../kube/object.ts";
import type { Job } from "../../kube/resource.ts";
import type { Clock } from "../../base/clock.ts";
import { attempt, previewOf } from "../cluster/cron_job_edits.ts";
import { withChosen } from "../cluster/with_chosen.ts";
import type { Targets } from "../flags/choice.ts";

/** Gives the CronJobs that are meant back to kube-controller-manager, which may take the controller `timeout` seconds. */
export async function runRelease(
  { timeout, ...options }: Targets & { readonly timeout: number },
  clock: Clock,
): Promise<void> {
  await withChosen({ ...options, api: [BATCH] }, "edit", async (client, cronJobs, { controllers }) => {
    const jobs = new JobsOfNamespaces(client);
    const marked: ObjectName[] = [];
    for (const { metadata: name } of cronJobs) {
      if (await attempt("release", name, () => mark(jobs, name, options, clock))) marked.push(name);
    }
    // For all of them together: the controller works on all at the same time.
    const deadline = clock.monotonic() + timeout * 1_000;
    for (const name of marked) {
      const isDone = await attempt("release", name, async () => {
        await finishRelease(client, name, { clock, deadline, onHandOver });
        return true;
      });
      if (isDone) console.log(`Released CronJob ${keyOf({ metadata: name })}`);
    }
    if (!options.dryRun) await reportLost(client, await controllers(clock), clock.now());
  });
}

/** Returns whether it is marked now. */
async function mark(
  jobs: JobsOfNamespaces,
  name: ObjectName,
  { dryRun }: Targets,
  clock: Clock,
): Promise<boolean> {
  const { outcome, cronJob } = await markForRelease(jobs, name, { dryRun, preview: previewOf("released"), clock });
  if (outcome === "not adopted") {
    const unread = isManagedUnread(cronJob) ? `: ${managedProblem(cronJob.metadata.annotations![MANAGED]!)}` : "";
    console.log(`CronJob ${keyOf(cronJob)} is not adopted${unread}`);
    if (!dryRun) await handOverJobs(jobs, cronJob, onHandOver);
  }
  if (outcome !== "not adopted" && cronJob.metadata.annotations?.[WAITING] !== undefined) {
    console.log(`CronJob ${keyOf(cronJob)}: missed runs wait in line, and will not run`);
  }
  return outcome === "marked";
}

/** Says how many CronJobs are still adopted, and run nowhere without a controller. Users who may not list them see nothing. */
async function reportLost(client: KubeClient, controllers: Controllers, now: EpochMs): Promise<void> {
  const objects = await Array.fromAsync(listAll(client, BATCH.resource, {})).catch(() => []);
  const adopted = objects.filter(isManaged).map((object) => readCronJob(BATCH, withType(BATCH, object)));
  if (adopted.length === 0) return;
  const views = adopted.map((cronJob) => ({ state: "Waiting" as const, runner: runnerOf(cronJob, controllers, now) }));
  const lost = headlinesOf(views);
  const left = `Still adopted: ${adopted.length}; release them too before the controller goes, or they run nowhere`;
  for (const line of lost.length > 0 ? lost : [left]) console.log(line);
}

function onHandOver(job: Job): void {
  console.log(`Handed over Job ${keyOf(job)}`);
}
