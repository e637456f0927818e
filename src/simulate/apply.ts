import { isDeepStrictEqual } from "node:util";
import { mergePatch } from "../base/merge_patch.ts";
import { isSetting } from "../cronjob/api/annotation_settings.ts";
import { PAUSE } from "../cronjob/api/annotations.ts";
import type { CronJob } from "../cronjob/api/cron_job.ts";
import { readCronJob } from "../cronjob/api/read_cron_job.ts";
import type { CronJobObject } from "../cronjob/api/types.ts";
import { Witness } from "../cronjob/knowledge/witness.ts";
import type { ObjectMeta } from "../kube/object.ts";
import { type EpochMs, formatTime } from "../base/epoch_ms.ts";
import { isObject } from "../base/is_object.ts";

/**
 * Returns what the CronJob is once a manifest of it is applied at this instant, and the facts of a controller that sees it
 * happen. A field that the manifest does not have stays.
 */
export function applied(before: CronJob, manifest: CronJob, now: EpochMs) {
  const spec = mergePatch(before.object.spec, manifest.object.spec) as CronJobObject["spec"];
  const annotations = { ...before.metadata.annotations, ...manifest.metadata.annotations };
  const metadata = { ...before.metadata, annotations };
  const after = readCronJob(before.flavour, { ...before.object, spec, metadata } as CronJobObject);
  const isSame = isDeepStrictEqual(after.settings, before.settings) &&
    isWithin(annotations, before.metadata.annotations) &&
    isWithin(spec.jobTemplate, before.object.spec.jobTemplate);
  if (isSame) return { change: "Unchanged", cronJob: before, facts: {} } as const;
  const { generation = 1 } = before.metadata;
  const written = { ...metadata, generation: generation + 1, managedFields: fieldsWrittenAt(now, after) };
  const cronJob = readCronJob(before.flavour, { ...before.object, spec, metadata: written } as CronJobObject);
  // The observer's part of the facts.
  const witness = new Witness();
  witness.noteVersion(before, now);
  witness.noteVersion(cronJob, now);
  return { change: "Changed", cronJob, facts: witness.facts } as const;
}

/** As the API server records who wrote what: all but the status was written now. */
function fieldsWrittenAt(now: EpochMs, { metadata, object: { spec } }: CronJob): ObjectMeta["managedFields"] {
  const own = (fields: object) => Object.fromEntries(Object.keys(fields).map((name) => [`f:${name}`, {}]));
  const others = metadata.managedFields?.filter(({ subresource }) => subresource !== undefined) ?? [];
  return [...others as NonNullable<ObjectMeta["managedFields"]>, {
    manager: "kubectl",
    operation: "Apply",
    time: formatTime(now),
    fieldsV1: { "f:spec": own(spec), "f:metadata": { "f:annotations": own(metadata.annotations ?? {}) } },
  }];
}

/** Returns whether all that one says the other says too, which may say more: an API server fills in defaults. */
function isWithin(part: unknown, whole: unknown): boolean {
  if (Array.isArray(part)) {
    return Array.isArray(whole) && part.length === whole.length && part.every((item, i) => isWithin(item, whole[i]));
  }
  if (!isObject(part)) return part === whole;
  return Object.entries(part).every(([name, value]) => isWithin(value, isObject(whole) ? whole[name] : undefined));
}

/** Returns the CronJob as if it had just been created: nothing of it has run, and nothing was requested. */
export function asNew({ flavour, object }: CronJob, createdAt: EpochMs): CronJob {
  const { annotations = {}, managedFields: _, ...metadata } = object.metadata;
  const { status: __, spec: { backfill: ___, ...spec }, ...rest } = object;
  const kept = Object.entries(annotations).filter(([name]) => isSetting(name) || name === PAUSE);
  return readCronJob(flavour, {
    ...rest,
    metadata: {
      ...metadata,
      annotations: Object.fromEntries(kept),
      generation: 1,
      creationTimestamp: formatTime(createdAt),
    },
    spec,
  } as CronJobObject);
}
