import type { CronJob } from "../../cronjob/api/cron_job.ts";
import { FLAVOURS } from "../../cronjob/api/flavour.ts";
import { isChildOf, readJob } from "../../cronjob/api/job.ts";
import { ApiError } from "../../kube/api_error.ts";
import type { KubeClient } from "../../kube/client.ts";
import { JOBS } from "../../kube/resource.ts";
import type { ActionResult } from "../wire.ts";

/** Deletes a Job that goes on, with its Pods: one of this CronJob and no other. */
export async function deleteJob(
  client: KubeClient,
  cronJob: CronJob,
  name: string | undefined,
): Promise<Omit<ActionResult, "target">> {
  if (name === undefined) return { result: "failed", message: "which Job is meant is not said" };
  const { namespace } = cronJob.metadata;
  try {
    const child = readJob(FLAVOURS, await client.get(JOBS, { namespace, name }));
    if (!isChildOf(child, cronJob)) return { result: "failed", message: `the Job ${name} is none of its own` };
    if (child.state !== "active") return { result: "unchanged", message: `the Job ${name} has ended, left as it is` };
    const { uid } = child.metadata;
    await client.delete(JOBS, { namespace, name }, { propagationPolicy: "Background", preconditions: { uid } });
    return { result: "done", message: `the Job ${name} is deleted, with its Pods`, job: name };
  } catch (error) {
    if (error instanceof ApiError && error.isNotFound) {
      return { result: "unchanged", message: `the Job ${name} is gone already` };
    }
    throw error;
  }
}
