import { type CronJob, cronJobKey } from "../../cronjob/api/cron_job.ts";
import type { Child } from "../../cronjob/api/job.ts";
import type { RunDurations } from "../../cronjob/api/types.ts";
import type { KubeClient } from "../../kube/client.ts";
import { apiVersionOf } from "../../kube/resource.ts";
import { createdCronJob, cronJobsIn } from "../../manifest_files/cron_job.ts";
import { readManifests } from "../../manifest_files/read.ts";
import type { EpochMs } from "../../schedule/epoch_ms.ts";
import { asRun, type Controllers } from "../../view/runner.ts";
import { viewOf } from "../../view/view_of.ts";
import { ConfigError } from "../errors.ts";
import { ClusterReader } from "../shared/cluster_reader.ts";

/** A CronJob of a cluster. */
export interface Found {
  readonly cronJob: CronJob;
  readonly jobs: readonly Child[];
  readonly durations: RunDurations | undefined;
}

/** Reads the CronJobs of a cluster, and how long their runs lasted. */
export async function readCluster(
  client: KubeClient,
  namespace: string | undefined,
  { now, controllers }: { readonly now: EpochMs; readonly controllers: Controllers },
): Promise<Found[]> {
  const reader = new ClusterReader(client, { namespace });
  const [cronJobs, index] = await Promise.all([reader.cronJobs(), reader.jobs()]);
  return cronJobs.map((found) => {
    const { cronJob } = asRun(found, controllers, now);
    const jobs = index.of(cronJob);
    return { cronJob, jobs, durations: viewOf({ cronJob, jobs, now }).durations };
  });
}

export interface FromManifests {
  readonly cronJobs: readonly CronJob[];
  /** What could not be read. */
  readonly faults: readonly string[];
}

/** Reads the CronJobs of manifests as if they were created now. Of two with one name the later counts. */
export async function readFiles(
  paths: readonly string[],
  namespace: string | undefined,
  now: EpochMs,
): Promise<FromManifests> {
  const { manifests, faults } = await readManifests(paths, { recursive: true, mentions: "CronJob" });
  const byId = new Map<string, CronJob>();
  for (const manifest of cronJobsIn(manifests)) {
    if (namespace !== undefined && !manifest.key.startsWith(`${namespace}/`)) continue;
    const cronJob = createdCronJob(manifest, now);
    byId.set(idOf(cronJob), cronJob);
  }
  if (paths.length > 0 && byId.size === 0 && faults.length === 0) {
    const where = namespace === undefined ? "" : ` of namespace ${namespace}`;
    throw new ConfigError(`There is no CronJob${where} in ${paths.join(", ")}`);
  }
  return {
    cronJobs: [...byId.values()],
    faults: faults.map(({ source, line, reason }) => `${source}:${line}: Cannot read the manifest: ${reason}`),
  };
}

/** Returns what distinguishes a CronJob from those of other APIs, namespaces and names. */
export function idOf(cronJob: CronJob): string {
  return `${apiVersionOf(cronJob.flavour.resource)} ${cronJobKey(cronJob)}`;
}
