import type { DeepReadonly } from "../../kube/object.ts";
import { stableHash } from "../../schedule/stable_hash.ts";
import { SETTING_ANNOTATIONS } from "./annotation_settings.ts";
import { RESUME } from "./annotations.ts";
import type { Flavour } from "./flavour.ts";
import type { CronJobObject } from "./types.ts";

/**
 * Returns what a user changes to have the schedule followed again: what it asks for, or the annotation that asks for it. A
 * request for runs of the past is left out, and on a `batch/v1` CronJob `suspend`, which `adopt` and `release` write.
 */
export function resumeMark({ openStatus }: Flavour, { metadata, spec }: DeepReadonly<CronJobObject>): string {
  const asked = metadata.annotations?.[RESUME] ?? "";
  const settings = openStatus
    ? []
    : Object.entries(metadata.annotations ?? {}).filter(([name]) => SETTING_ANNOTATIONS.has(name)).sort();
  const suspend = openStatus ? spec.suspend : undefined;
  const asks = JSON.stringify([metadata.uid, { ...spec, suspend, backfill: undefined }, settings], inOrder);
  return `${stableHash(asks).toString(36)} ${asked}`;
}

/** An API server may change the order of fields with a write that changes no field. */
function inOrder(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1));
}
