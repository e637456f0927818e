import type { DeepReadonly } from "../kube/object.ts";
import { type EpochMs, parseTime } from "../schedule/epoch_ms.ts";
import type { CronJobObject, CronJobSpec } from "./types.ts";

/**
 * When somebody last wrote the spec, in whole seconds; with `fields`, when somebody who owns one of them last wrote.
 * Undefined where the API server keeps no record of it.
 */
export function specWrittenAt(
  cronJob: DeepReadonly<CronJobObject>,
  fields?: readonly (keyof CronJobSpec)[],
): EpochMs | undefined {
  let newest: EpochMs | undefined;
  for (const { subresource, fieldsV1, time } of cronJob.metadata.managedFields ?? []) {
    if (subresource) continue;
    const owned = (fieldsV1 as Record<string, Record<string, unknown>> | undefined)?.["f:spec"];
    if (!owned || (fields && !fields.some((field) => `f:${field}` in owned))) continue;
    const written = parseTime(time);
    if (written !== undefined && (newest === undefined || written > newest)) newest = written;
  }
  return newest;
}
