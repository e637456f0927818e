import { parseTime } from "../schedule/epoch_ms.ts";
import type { CronJob } from "../cronjob/api/cron_job.ts";

/** What this program's controllers are called in `managedFields`: as their user agent begins. */
const OUR_MANAGER = "cronjob-controller";

/**
 * Whether kube-controller-manager may run it, which knows no annotation of this controller: a `batch/v1` CronJob that is not
 * adopted, and whose status this controller was not the last to write.
 */
export function mayBeKubernetes({ flavour, stewardship, object }: CronJob): boolean {
  if (!flavour.adoptable || stewardship.suspendedIn === "annotation") return false;
  const writes = (object.metadata.managedFields ?? []).filter(({ subresource }) => subresource === "status");
  const [last] = writes.sort((a, b) => (parseTime(b.time) ?? 0) - (parseTime(a.time) ?? 0));
  return last?.manager !== OUR_MANAGER;
}
