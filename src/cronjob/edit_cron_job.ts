import { ApiError } from "../kube/api_error.ts";
import type { KubeClient } from "../kube/client.ts";
import type { DeepReadonly } from "../kube/object.ts";
import type { CronJobEdit, EditTarget } from "./api/cron_job_edit.ts";
import type { CronJobObject } from "./api/types.ts";

/** How often an edit is made anew when another client wrote first. */
const ATTEMPTS = 5;

/**
 * Reads a CronJob and makes the edit that `plan` wants of it, in one write that is refused if the CronJob has changed
 * meanwhile; then it is read and planned anew.
 *
 * @param plan gives undefined where nothing is to be written; throws where it must not be
 * @param seen the version to begin with, of who has just read it
 */
export async function editCronJob(
  client: KubeClient,
  { resource, fieldManager, ...name }: EditTarget,
  plan: (cronJob: DeepReadonly<CronJobObject>) => CronJobEdit | undefined | Promise<CronJobEdit | undefined>,
  seen?: DeepReadonly<CronJobObject>,
): Promise<DeepReadonly<CronJobObject>> {
  for (let attempts = 1;; attempts++) {
    const cronJob = attempts === 1 && seen ? seen : await client.get(resource, name);
    const wanted = await plan(cronJob);
    if (wanted === undefined) return cronJob;
    const { uid, resourceVersion } = cronJob.metadata;
    const body = { metadata: { uid, resourceVersion, annotations: wanted.annotations }, spec: wanted.spec };
    try {
      return await client.patch(resource, name, { type: "merge", body }, { fieldManager });
    } catch (error) {
      if (attempts === ATTEMPTS || !(error instanceof ApiError && error.isConflict)) throw error;
    }
  }
}
