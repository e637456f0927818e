import { isDeepStrictEqual } from "node:util";
import { type CronJob, readCronJob } from "../cronjob/api/cron_job.ts";
import type { CronJobObject } from "../cronjob/api/types.ts";
import type { DecisionFacts } from "../cronjob/decision/input.ts";
import { DecisionMemory } from "../cronjob/knowledge/decision_memory.ts";
import type { ObjectMeta } from "../kube/object.ts";
import { type EpochMs, formatTime } from "../schedule/epoch_ms.ts";
import { lastApplied, mergedWith } from "./last_applied.ts";

/** What `kubectl apply` makes of a CronJob. */
export interface Applied {
  readonly change: "Changed" | "Unchanged";
  readonly cronJob: CronJob;
  /** What a controller knows that sees it happen. */
  readonly facts: DecisionFacts;
}

/** Returns what the CronJob is once a manifest of it is applied at this instant. */
export function applied(before: CronJob, manifest: CronJob, now: EpochMs): Applied {
  const last = lastApplied(before);
  const spec = mergedWith(before.object.spec, last.spec, manifest.object.spec) as CronJobObject["spec"];
  const object = { ...before.object, spec };
  const live = before.metadata.annotations ?? {};
  const wanted = manifest.metadata.annotations ?? {};
  const annotations = mergedWith(live, last.annotations, wanted) as Record<string, string>;
  const metadata = { ...before.metadata, annotations };
  const merged = readCronJob(before.flavour, { ...object, metadata } as CronJobObject);
  const isSame = isDeepStrictEqual(merged.settings, before.settings) &&
    isWithin(annotations, before.metadata.annotations) &&
    isWithin(object.spec.jobTemplate, before.object.spec.jobTemplate);
  if (isSame) return { change: "Unchanged", cronJob: before, facts: {} };
  const { generation = 1 } = before.metadata;
  const written = { ...metadata, generation: generation + 1, managedFields: fieldsWrittenAt(now, merged) };
  const cronJob = readCronJob(before.flavour, { ...object, metadata: written } as CronJobObject);
  // What an observer notices.
  const memory = new DecisionMemory();
  memory.noteVersion(before, now);
  memory.noteVersion(cronJob, now);
  return { change: "Changed", cronJob, facts: memory.facts };
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
  if (typeof part !== "object" || part === null) return part === whole;
  return Object.entries(part).every(([name, value]) =>
    isWithin(value, (whole as Record<string, unknown> | undefined)?.[name])
  );
}
