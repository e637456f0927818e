import { JobsOfNamespaces } from "../../cronjob/adoption/jobs_of_namespaces.ts";
import { finishRelease, handOverJobs, markForRelease } from "../../cronjob/adoption/release.ts";
import type { ObjectName } from "../../kube/client.ts";
import { keyOf } from "../../kube/object.ts";
import type { Job } from "../../kube/resource.ts";
import { type Clock, SystemClock } from "../../runtime/clock.ts";
import { attempt, previewOf, withCronJobs } from "../shared/cron_job_edits.ts";
import type { EditOptions } from "../shared/edit_options.ts";

/** What the command line of `release` says. */
export interface ReleaseOptions extends EditOptions {
  /** How long the controller may take to let go. */
  timeout: number;
}

/** Gives the CronJobs that are meant back to kube-controller-manager. */
export async function runRelease(options: ReleaseOptions): Promise<void> {
  const clock = new SystemClock();
  await withCronJobs(options, async (client, names) => {
    const jobs = new JobsOfNamespaces(client);
    const marked: ObjectName[] = [];
    for (const name of names) {
      if (await attempt("release", name, () => mark(jobs, name, options, clock))) marked.push(name);
    }
    // For all of them together: the controller works on all at the same time.
    const deadline = clock.monotonic() + options.timeout * 1000;
    for (const name of marked) {
      const isDone = await attempt("release", name, async () => {
        await finishRelease(client, name, { clock, deadline, onHandOver });
        return true;
      });
      if (isDone) console.log(`Released CronJob ${keyOf({ metadata: name })}`);
    }
  });
}

/** Returns whether it is marked now. */
async function mark(
  jobs: JobsOfNamespaces,
  name: ObjectName,
  { dryRun }: ReleaseOptions,
  clock: Clock,
): Promise<boolean> {
  const { outcome, cronJob } = await markForRelease(jobs, name, { dryRun, preview: previewOf("released"), clock });
  if (outcome === "not adopted") {
    console.log(`CronJob ${keyOf(cronJob)} is not adopted`);
    if (!dryRun) await handOverJobs(jobs, cronJob, onHandOver);
  }
  return outcome === "marked";
}

function onHandOver(job: Job): void {
  console.log(`Handed over Job ${keyOf(job)}`);
}
