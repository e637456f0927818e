import { type Child, isStray } from "../api/job.ts";
import { isControlledBy } from "../api/ownership.ts";
import type { DecisionInput } from "./input.ts";

export interface HandOver {
  readonly child: Child;
  readonly controller: boolean;
}

/** Returns the Jobs that name the CronJob as an owner, and must change hands with it. */
export function handOversFor({ cronJob, facts }: DecisionInput, children: readonly Child[]): HandOver[] {
  const { uid } = cronJob.metadata;
  const { controlsJobs: controller } = cronJob.stewardship;
  // A write of this process is newer than the cache.
  const isController = (child: Child) => facts?.handedOver?.get(child.metadata.uid) ?? isControlledBy(child, uid);
  return children
    .filter((child) => child.isMadeForRun && !isStray(child, cronJob) && isController(child) !== controller)
    .map((child) => ({ child, controller }));
}
