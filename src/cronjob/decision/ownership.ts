import type { Patch } from "../../kube/client.ts";
import { controllerOf, type DeepReadonly, type OwnerReference } from "../../kube/object.ts";
import { apiVersionOf, type Job } from "../../kube/resource.ts";
import { INSTANTIATE, TRIGGER } from "../api/annotations.ts";
import type { CronJobApi } from "../api/flavour.ts";
import type { Child } from "../api/job.ts";
import type { Regime } from "../api/stewardship.ts";
import type { HandOver, World } from "./plan.ts";

/**
 * The reference to the CronJob whose child a Job is: its controller. Where CronJobs can be adopted, that of an owner that
 * isn't its controller, too, if a schedule or a person made the Job: one that only mentions a CronJob is none of its.
 */
export function ownerOf(api: CronJobApi, job: DeepReadonly<Job>): DeepReadonly<OwnerReference> | undefined {
  const controller = controllerOf(job);
  if (controller) return isReferenceTo(api, controller) ? controller : undefined;
  if (!api.adoptable || !isMadeForRun(api, job)) return undefined;
  return job.metadata.ownerReferences?.find((reference) => isReferenceTo(api, reference));
}

/** Whether its annotations tell that a schedule or a person made it. */
export function isMadeForRun(api: CronJobApi, { metadata: { annotations = {} } }: DeepReadonly<Job>): boolean {
  return [api.scheduledTimeAnnotation, TRIGGER, INSTANTIATE].some((name) => annotations[name] !== undefined);
}

/** Jobs that must change hands with their CronJob. */
export function handOvers(
  { api, cronJob, memory }: World,
  { controlsJobs: controller }: Regime,
  children: readonly Child[],
): HandOver[] {
  const { uid } = cronJob.metadata;
  // What this process wrote itself is newer than what the cache has.
  const hands = ({ job }: Child) => memory?.handedOver?.get(job.metadata.uid) ?? isControlledBy(job, uid);
  return children
    .filter((child) => isMadeForRun(api, child.job) && hands(child) !== controller)
    .map((child) => ({ child, controller }));
}

export function isControlledBy(job: DeepReadonly<Job>, ownerUid: string): boolean {
  return controllerOf(job)?.uid === ownerUid;
}

/** Makes the owner of this UID the Job's controller, or a mere owner. Refused if its references are no longer the same. */
export function handOverPatch(
  job: DeepReadonly<Job>,
  ownerUid: string,
  { controller }: { controller: boolean },
): Patch {
  const at = job.metadata.ownerReferences?.findIndex(({ uid }) => uid === ownerUid);
  const path = `/metadata/ownerReferences/${at}`;
  return {
    type: "json",
    operations: [
      { op: "test", path: "/metadata/uid", value: job.metadata.uid },
      { op: "test", path: `${path}/uid`, value: ownerUid },
      // Adding a member that is there replaces it.
      { op: "add", path: `${path}/controller`, value: controller },
    ],
  };
}

function isReferenceTo({ resource }: CronJobApi, { kind, apiVersion }: DeepReadonly<OwnerReference>): boolean {
  return kind === resource.kind && apiVersion === apiVersionOf(resource);
}
