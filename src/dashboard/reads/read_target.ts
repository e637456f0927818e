import type { CronJob } from "../../cronjob/api/cron_job.ts";
import { FLAVOURS } from "../../cronjob/api/flavour.ts";
import { readCronJob, withType } from "../../cronjob/api/read_cron_job.ts";
import type { KubeClient } from "../../kube/client.ts";
import { RequestError } from "../http/answers.ts";
import type { Target } from "../wire.ts";

/**
 * Reads a CronJob as the API server has it now.
 *
 * @throws {RequestError} where there is no such API
 * @throws {ApiError}
 */
export async function readTarget(client: KubeClient, target: Target): Promise<CronJob> {
  const flavour = FLAVOURS.find(({ apiVersion }) => apiVersion === target.apiVersion);
  if (!flavour) throw new RequestError(404, "NotFound", `There are no CronJobs of ${target.apiVersion}`);
  return readCronJob(flavour, withType(flavour, await client.get(flavour.resource, target)));
}
