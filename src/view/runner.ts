import { ADOPTION_MANAGER } from "../cronjob/adoption/adoption_edits.ts";
import type { CronJob } from "../cronjob/api/cron_job.ts";
import { suspendWrittenAt } from "../cronjob/api/spec_writes.ts";
import { parseTime } from "../schedule/epoch_ms.ts";

/** What this program's controllers are called in `managedFields`: as their user agent begins. */
const OUR_MANAGER = "cronjob-controller";

/** Who adopts CronJobs and gives them back. Nothing else writes `spec.suspend` under these names. */
const STEWARDS = [OUR_MANAGER, ADOPTION_MANAGER];

/**
 * Returns whether kube-controller-manager may run it, which knows no annotation of this controller: a `batch/v1` CronJob
 * that is not adopted, and whose status this controller was not the last to write, or has not written since it gave it
 * back.
 *
 * @param isEmbedded whether the API server is that of a `standalone`, beside which there is no other controller
 */
export function mayBeKubernetes({ flavour, stewardship, object }: CronJob, isEmbedded = false): boolean {
  if (isEmbedded || !flavour.adoptable || stewardship.suspendedIn === "annotation") return false;
  const writes = (object.metadata.managedFields ?? []).filter(({ subresource }) => subresource === "status");
  const [last] = writes.sort((a, b) => (parseTime(b.time) ?? 0) - (parseTime(a.time) ?? 0));
  if (last?.manager !== OUR_MANAGER) return true;
  const releasedAt = suspendWrittenAt(object, STEWARDS);
  return releasedAt !== undefined && releasedAt >= (parseTime(last.time) ?? 0);
}
