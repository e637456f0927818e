import { controllerOf, type DeepReadonly, type Owned, type OwnerReference, type Patch } from "../../kube/object.ts";
import type { Job } from "../../kube/resource.ts";
import { INSTANTIATE, TRIGGER } from "./annotations.ts";
import type { Flavour } from "./flavour.ts";

/**
 * Returns the reference to the CronJob whose child a Job is: its controller. Where CronJobs can be adopted, that of an
 * owner that isn't its controller, too, if a schedule or a person made the Job: one that only mentions a CronJob is none
 * of its.
 */
export function ownerOf(flavour: Flavour, job: DeepReadonly<Job>): DeepReadonly<OwnerReference> | undefined {
  const controller = controllerOf(job);
  if (controller) return isReferenceTo(flavour, controller) ? controller : undefined;
  if (!flavour.adoptable || !isMadeForRun(flavour, job)) return undefined;
  return job.metadata.ownerReferences?.find((reference) => isReferenceTo(flavour, reference));
}

/** Returns whether its annotations say that a schedule or a person made it. */
export function isMadeForRun(flavour: Flavour, { metadata: { annotations } }: DeepReadonly<Job>): boolean {
  return [flavour.scheduledTimeAnnotation, TRIGGER, INSTANTIATE].some((name) => annotations?.[name] !== undefined);
}

/** Returns whether the owner of this UID is its controller, rather than a mere owner or nothing at all. */
export function isControlledBy(job: Owned, ownerUid: string): boolean {
  return controllerOf(job)?.uid === ownerUid;
}

/** Makes the owner of this UID the Job's controller, or a mere owner. Refused if its references are no longer the same. */
export function handOverPatch(
  job: Owned & { readonly metadata: { readonly uid: string } },
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

function isReferenceTo(flavour: Flavour, { kind, apiVersion }: DeepReadonly<OwnerReference>): boolean {
  return kind === flavour.resource.kind && apiVersion === flavour.apiVersion;
}
