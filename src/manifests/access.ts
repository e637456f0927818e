import { cronJobAccess } from "../cronjob/access.ts";
import { JOB_ACCESS } from "../job/access.ts";
import type { Access } from "../kube/access.ts";
import { notificationAccess } from "../notifications/access.ts";
import { EVENT_ACCESS, leaderElectionAccess } from "../runtime/access.ts";
import { type Install, LEASE } from "./install.ts";

/**
 * Returns all that the `controller` command asks of the API server, installed like this: part by part, as
 * `src/cli/controller/run.ts` starts them.
 */
export function accessOf(
  { apis, jobs, pendingTimeouts, neverTwice, receivers }: Pick<
    Install,
    "apis" | "jobs" | "pendingTimeouts" | "neverTwice" | "receivers"
  >,
): readonly Access[] {
  return [
    ...apis.flatMap((flavour) => cronJobAccess(flavour, { pendingTimeouts, neverTwice })),
    ...receivers.some(({ kind }) => kind === "webhook") ? apis.flatMap(notificationAccess) : [],
    ...jobs === "off" ? [] : JOB_ACCESS,
    ...EVENT_ACCESS,
    ...leaderElectionAccess(LEASE),
  ];
}
