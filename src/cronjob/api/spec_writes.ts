import type { DeepReadonly } from "../../kube/object.ts";
import { type EpochMs, parseTime } from "../../base/epoch_ms.ts";
import { MANAGED } from "./annotations.ts";
import type { CronJobObject, CronJobSpec } from "./types.ts";

/**
 * Returns when the spec was last written, in whole seconds; with `fields`, when an owner of one of them last wrote.
 * Undefined where the API server keeps no record of it.
 */
export function specWrittenAt(
  cronJob: DeepReadonly<CronJobObject>,
  fields?: readonly (keyof CronJobSpec)[],
  without?: keyof CronJobSpec,
): EpochMs | undefined {
  return newestWrite(cronJob, (owned, subresource) => {
    if (subresource) return false;
    const spec = owned["f:spec"];
    if (spec === undefined || `f:${without}` in spec) return false;
    return !fields || fields.some((field) => `f:${field}` in spec);
  });
}

/** Returns when an owner of an annotation last wrote. Undefined too where it isn't there any more. */
export function annotationWrittenAt(cronJob: DeepReadonly<CronJobObject>, name: string): EpochMs | undefined {
  return newestWrite(
    cronJob,
    (owned, subresource) => !subresource && owned["f:metadata"]?.["f:annotations"]?.[`f:${name}`] !== undefined,
  );
}

/** Returns when an owner of `status.lastScheduleTime` last wrote, by the API server's clock. */
export function lastScheduleWrittenAt(cronJob: DeepReadonly<CronJobObject>): EpochMs | undefined {
  return newestWrite(cronJob, (owned) => owned["f:status"]?.["f:lastScheduleTime"] !== undefined);
}

/** Fields as managedFields has them: `{ "f:spec": { "f:suspend": {} } }`. */
interface OwnedFields {
  readonly [field: string]: OwnedFields | undefined;
}

const OWNED: OwnedFields = Object.freeze({});

/**
 * Leaves out of `managedFields` what lies inside the fields of spec, status and annotations: only who owns such a field is
 * ever asked here, and the rest is a fourth of what a CronJob takes in memory.
 */
export function withoutInnerOwners<T extends CronJobObject>(cronJob: T): T {
  for (const { fieldsV1 } of cronJob.metadata.managedFields ?? []) {
    const owned = (fieldsV1 ?? {}) as OwnedFields;
    for (const fields of [owned["f:spec"], owned["f:status"], owned["f:metadata"]?.["f:annotations"]]) {
      for (const name in fields) (fields as Record<string, OwnedFields>)[name] = OWNED;
    }
  }
  return cronJob;
}

/** Returns what is left of a CronJob that is none of ours: that it is there, and whether it was meant to be ours. */
export function stubOf(
  { metadata: { name, namespace, uid, resourceVersion, creationTimestamp, annotations } }: CronJobObject,
): CronJobObject {
  const managed = annotations?.[MANAGED];
  const kept: Partial<CronJobObject["metadata"]> = {
    ...(namespace && { namespace }),
    ...(managed !== undefined && { annotations: { [MANAGED]: managed } }),
  };
  return { metadata: { name, uid, resourceVersion, creationTimestamp, ...kept } } as CronJobObject;
}

function newestWrite(
  { metadata: { managedFields } }: DeepReadonly<CronJobObject>,
  owns: (owned: OwnedFields, subresource: string | undefined) => boolean,
): EpochMs | undefined {
  let newest: EpochMs | undefined;
  for (const { subresource, fieldsV1, time } of managedFields ?? []) {
    if (!owns((fieldsV1 ?? {}) as OwnedFields, subresource)) continue;
    const written = parseTime(time);
    if (written !== undefined && (newest === undefined || written > newest)) newest = written;
  }
  return newest;
}
