import { cronJobAccess } from "../cronjob/access.ts";
import { JOB_ACCESS } from "../job/access.ts";
import type { Access } from "../kube/access.ts";
import { EVENT_ACCESS, leaderElectionAccess } from "../runtime/access.ts";
import { type Install, LEASE } from "./install.ts";

/** All that the `controller` command asks of the API server, installed like this: part by part, as `run_controller.ts` starts them. */
export function accessOf(
  { apis, jobs, pendingTimeouts }: Pick<Install, "apis" | "jobs" | "pendingTimeouts">,
): readonly Access[] {
  return [
    ...apis.flatMap((flavour) => cronJobAccess(flavour, { pendingTimeouts })),
    ...jobs === "off" ? [] : JOB_ACCESS,
    ...EVENT_ACCESS,
    ...leaderElectionAccess(LEASE),
  ];
}
