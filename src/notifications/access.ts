import type { Flavour } from "../cronjob/api/flavour.ts";
import type { Access } from "../kube/access.ts";

/** Returns what notifications ask of the API server: what was reported is kept in an annotation of the CronJob. */
export function notificationAccess({ resource }: Flavour): readonly Access[] {
  return [{ resource, verbs: ["patch"], where: "watched" }];
}
