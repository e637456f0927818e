import { cronJobKey } from "../../cronjob/api/cron_job.ts";
import { createdCronJob } from "../../manifest_files/cron_job.ts";
import type { Clock } from "../../base/clock.ts";
import { type Controllers, controllersBy } from "../../view/runner.ts";
import { readManifestCronJobs } from "../shared/manifest_cron_jobs.ts";
import { jsonText } from "../flags/output.ts";
import { withCluster } from "../cluster/with_cluster.ts";
import { formatText } from "./format_text.ts";
import { type Found, readCluster } from "./gather.ts";
import { simulate } from "./simulation.ts";
import { readSpan } from "./span.ts";
import type { SimulateOptions } from "./options.ts";

/** Prints what CronJobs of files and of a cluster will do; whether a limit or a file is broken is in the exit code. */
export async function runSimulate(options: SimulateOptions, clock: Clock): Promise<void> {
  const { filename: filenames, namespace } = options;
  const now = clock.now();
  // Errors of the command line are reported before anything is read.
  readSpan(options, now, options.timeZone ?? "UTC");
  const { cronJobs: manifests, isWhole } = filenames.length === 0
    ? { cronJobs: [], isWhole: true }
    : await readManifestCronJobs(filenames, { namespace });
  const cronJobs = manifests.map((manifest) => createdCronJob(manifest, now));
  const readsCluster = options.withCluster || filenames.length === 0;
  const { found, controllers } = readsCluster
    ? await foundIn(options, clock)
    : { found: undefined, controllers: controllersBy(options.by) };
  const { entries, report } = await simulate(found, cronJobs, { ...options, now, controllers });
  for (const { after, notes } of entries) {
    for (const note of notes) console.error(`${cronJobKey(after.cronJob)}: ${note}`);
  }
  console.log(options.output === "json" ? jsonText(report) : formatText(report, options));
  // Of a cluster's own CronJobs no one has written anything just now.
  const isFaulty = manifests.length > 0 &&
    report.objects.some(({ change, rest }) => change !== "Unchanged" && rest?.isFault);
  if (!isWhole || isFaulty || report.limits.some(({ exceeded }) => exceeded)) Deno.exitCode = 1;
}

async function foundIn(
  options: SimulateOptions,
  clock: Clock,
): Promise<{ found: readonly Found[]; controllers: Controllers }> {
  return await withCluster(options, "simulate", async (client, place) => {
    const controllers = await place.controllers(clock);
    return { found: await readCluster(client, options.namespace, { now: clock.now(), controllers }), controllers };
  });
}
