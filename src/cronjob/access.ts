import type { Access } from "../kube/access.ts";
import { JOBS, PODS } from "../kube/resource.ts";
import type { Flavour } from "./api/flavour.ts";

/** Returns what the CronJob controller of one flavour asks of the API server, besides its Events. */
export function cronJobAccess(
  { resource, openStatus, adoptable, pendingTimeoutSeconds }: Flavour,
  { pendingTimeouts, neverTwice }: { readonly pendingTimeouts: boolean; readonly neverTwice: boolean },
): readonly Access[] {
  return [
    { resource, verbs: ["list", "watch"], where: "watched" },
    // Records that the status has no room for are kept in annotations.
    ...openStatus ? [] : [{ resource, verbs: ["patch"], where: "watched" } as const],
    { resource, subresource: "status", verbs: ["update"], where: "watched" },
    {
      resource,
      subresource: "finalizers",
      verbs: ["update"],
      where: "watched",
      admissionOf: { resource: JOBS, verb: "create" },
    },
    { resource: JOBS, verbs: ["get", "list", "watch", "create", "delete"], where: "watched" },
    // How those of a failed Job ended is recorded before the Job goes.
    { resource: PODS, verbs: ["list"], where: "watched" },
    // Of Jobs whose Pods never start it is said that they fail.
    ...pendingTimeouts || pendingTimeoutSeconds !== undefined
      ? [{ resource: JOBS, subresource: "status", verbs: ["patch"], where: "watched" } as const]
      : [],
    // The Jobs of adopted CronJobs change hands; and the finalizers go that kept names taken.
    ...adoptable || neverTwice ? [{ resource: JOBS, verbs: ["patch"], where: "watched" } as const] : [],
  ];
}
