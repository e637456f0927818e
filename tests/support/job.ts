import type { KubeObject, OwnerReference, Unstored } from "../../src/kube/object.ts";
import type { Job } from "../../src/kube/resource.ts";
import { POD_TEMPLATE } from "./cron_job.ts";
import { present } from "./present.ts";

type Owner = Pick<KubeObject, "apiVersion" | "kind"> & {
  readonly metadata: { readonly name: string; readonly uid: string };
};

/** Returns the reference by which an object says which other one controls it. */
export function controlledBy({ apiVersion, kind, metadata: { name, uid } }: Owner): OwnerReference {
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** Returns a Job as a client creates it, with nothing to do unless its spec says otherwise. */
export function jobOf(
  { spec, status, owner, namespace = "default", ...metadata }:
    & { readonly owner?: Owner | undefined; readonly spec?: Partial<Job["spec"]> }
    & Pick<Job, "status">
    & Omit<Unstored<Job>["metadata"], "ownerReferences">,
): Unstored<Job> {
  return present({
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: present({ ...metadata, namespace, ownerReferences: owner && [controlledBy(owner)] }),
    spec: { template: POD_TEMPLATE, ...spec },
    status,
  }) as Unstored<Job>;
}
