import type { Child } from "../cronjob/api/job.ts";
import type { CronJobObject } from "../cronjob/api/types.ts";

// Of thousands of objects only that is kept which some view reads. What is left out is most of them.

/** Shared by all fields of which only the name is of interest. */
const OWNED = Object.freeze({});

/** The text of the whole object once more. */
const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/** What Jobs are made of goes, and of what is recorded about who wrote what all but who wrote which field when. */
export function shrunkCronJob(object: CronJobObject): CronJobObject {
  const { jobTemplate: _, ...spec } = object.spec ?? {};
  const { annotations, managedFields, ...metadata } = object.metadata;
  delete annotations?.[LAST_APPLIED];
  return {
    ...object,
    metadata: { ...metadata, annotations, managedFields: managedFields?.map(shrunkRecord) },
    spec: spec as CronJobObject["spec"],
  };
}

type ManagedFields = NonNullable<CronJobObject["metadata"]["managedFields"]>[number];

interface Fields {
  readonly [field: string]: Fields | undefined;
}

function shrunkRecord({ manager, operation, subresource, time, fieldsV1 }: ManagedFields): ManagedFields {
  const { "f:spec": spec, "f:metadata": metadata, "f:status": status } = (fieldsV1 ?? {}) as Fields;
  const annotations = metadata?.["f:annotations"];
  const fields = {
    ...spec && { "f:spec": namesIn(spec) },
    ...annotations && { "f:metadata": { "f:annotations": namesIn(annotations) } },
    ...status && { "f:status": namesIn(status) },
  };
  return { manager, operation, subresource, time, fieldsV1: fields };
}

function namesIn(fields: Fields): Fields {
  return Object.fromEntries(Object.keys(fields).map((name) => [name, OWNED]));
}

/**
 * Who its owner is has been read already, and is kept once for all its Jobs.
 *
 * @param sibling another Job of the same owner, where there is one
 */
export function shrunkJob(child: Child, sibling: Child | undefined): Child {
  const { ownerReferences: _, namespace, ...metadata } = child.metadata;
  return {
    ...child,
    owner: sibling?.owner ?? child.owner,
    metadata: { ...metadata, namespace: sibling?.metadata.namespace ?? namespace },
  };
}
