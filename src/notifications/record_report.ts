import { type CronJob, cronJobKey } from "../cronjob/api/cron_job.ts";
import { ApiError } from "../kube/api_error.ts";
import type { KubeClient, WriteOptions } from "../kube/client.ts";
import { loggerFor } from "../telemetry/logging.ts";

const FIELD_MANAGER = "cronjob-controller-notifications";

/**
 * Records in an annotation what was reported of a CronJob. That it may not be written is a warning. Returns whether the CronJob
 * is still there.
 *
 * @throws {Error} where it could not be written now
 */
export async function recordReport(
  client: KubeClient,
  cronJob: CronJob,
  annotations: Readonly<Record<string, string | undefined>>,
  options: Pick<WriteOptions, "signal" | "lane">,
): Promise<boolean> {
  const { uid, namespace, name } = cronJob.metadata;
  const patch = { type: "merge", body: { metadata: { uid, annotations } } } as const;
  try {
    await client.patch(cronJob.flavour.resource, { namespace, name }, patch, {
      ...options,
      fieldManager: FIELD_MANAGER,
    });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // It is gone, or another one has its name.
    if (error.isNotFound || error.isConflict) return false;
    if (error.code !== 403) throw error;
    loggerFor("notifications").warn(
      "Cannot record what was reported of {key}, so that a new leader reports it again: {error}",
      { key: cronJobKey(cronJob), error },
    );
  }
  return true;
}
