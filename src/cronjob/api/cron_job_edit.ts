import type { DeepReadonly, ObjectName } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";
import type { CronJobObject } from "./types.ts";

/** A change of a CronJob, as a merge patch has it: `null` takes an annotation or a field away. */
export interface CronJobEdit {
  readonly annotations: Readonly<Record<string, string | null>>;
  readonly spec?: { readonly suspend?: boolean; readonly pause?: null };
}

/** The CronJob that is edited, and its editor. */
export interface EditTarget extends ObjectName {
  readonly resource: Resource<CronJobObject>;
  /** Another for each purpose, so that it can be seen when what serves it was last written. */
  readonly fieldManager: string;
}

/** Returns the CronJob as it is after the edit. */
export function edited(
  { metadata, spec, ...rest }: DeepReadonly<CronJobObject>,
  { annotations, spec: changed }: CronJobEdit,
): DeepReadonly<CronJobObject> {
  const { annotations: before, ...meta } = metadata;
  const { pause, ...set } = changed ?? {};
  const { pause: _, ...unpaused } = spec;
  const after = Object.entries({ ...before, ...annotations }).filter(([, text]) => text !== null) as [string, string][];
  return {
    ...rest,
    metadata: { ...meta, ...(after.length > 0 && { annotations: Object.fromEntries(after) }) },
    spec: { ...(pause === null ? unpaused : spec), ...set },
  };
}

/** Returns whether the CronJob already is as the edit would make it, so that nothing has to be written. */
export function isEdited({ metadata, spec }: DeepReadonly<CronJobObject>, edit: CronJobEdit): boolean {
  const { suspend = spec.suspend ?? false, pause = spec.pause } = edit.spec ?? {};
  return (spec.suspend ?? false) === suspend && (spec.pause ?? null) === (pause ?? null) &&
    Object.entries(edit.annotations).every(([name, text]) => (metadata.annotations?.[name] ?? null) === text);
}
