import { type CronJob, cronJobKey } from "../../cronjob/api/cron_job.ts";
import type { Child } from "../../cronjob/api/job.ts";
import type { RunDurations } from "../../cronjob/api/types.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { EpochMs } from "../../base/epoch_ms.ts";
import { asRun, type Controllers } from "../../view/runner.ts";
import { viewOf } from "../../view/view_of.ts";
import { ClusterReader } from "../cluster/cluster_reader.ts";

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
    return { cronJob, jobs, durations: viewOf({ cronJob, jobs, now }).durations ?? soFar(jobs, now) };
  });
}

/** Where no run has ended, one that goes on lasts at least as long as it has. */
function soFar(jobs: readonly Child[], now: EpochMs): RunDurations | undefined {
  const ages = jobs.filter(({ state }) => state === "active").map(({ createdAt = now }) => (now - createdAt) / 1_000);
  const seconds = Math.max(0, ...ages);
  return seconds === 0 ? undefined : { runs: 0, p50Seconds: seconds, p95Seconds: seconds };
}

/** Returns what distinguishes a CronJob from those of other APIs, namespaces and names. */
export function idOf(cronJob: CronJob): string {
  return `${cronJob.flavour.apiVersion} ${cronJobKey(cronJob)}`;
}
