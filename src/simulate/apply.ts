import { isDeepStrictEqual } from "node:util";
import { isSetting } from "../cronjob/api/annotation_settings.ts";
import { type CronJob, readCronJob } from "../cronjob/api/cron_job.ts";
import type { CronJobObject } from "../cronjob/api/types.ts";
import type { DecisionFacts } from "../cronjob/decision/input.ts";
import { DecisionMemory } from "../cronjob/knowledge/decision_memory.ts";
import type { DeepReadonly, ObjectMeta } from "../kube/object.ts";
import { type EpochMs, formatTime } from "../schedule/epoch_ms.ts";

/** What `kubectl apply` makes of a CronJob. */
export interface Applied {
  readonly change: "Changed" | "Unchanged";
  readonly cronJob: CronJob;
  /** What a controller knows that sees it happen. */
  readonly facts: DecisionFacts;
}

const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/** Returns what the CronJob is once a manifest of it is applied at this instant. */
export function applied(before: CronJob, manifest: CronJob, now: EpochMs): Applied {
  const object = { ...before.object, spec: mergedSpec(before, manifest) };
  const annotations = mergedAnnotations(before, manifest);
  const metadata = { ...before.metadata, annotations };
  const merged = readCronJob(before.flavour, { ...object, metadata } as CronJobObject);
  const isSame = isDeepStrictEqual(merged.settings, before.settings) &&
    isWithin(annotations, before.metadata.annotations) &&
    isWithin(object.spec.jobTemplate, before.object.spec.jobTemplate);
  if (isSame) return { change: "Unchanged", cronJob: before, facts: {} };
  const { generation = 1 } = before.metadata;
  const written = { ...metadata, generation: generation + 1, managedFields: fieldsWrittenAt(now, merged) };
  const cronJob = readCronJob(before.flavour, { ...object, metadata: written } as CronJobObject);
  // What whoever looks on notices.
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

/** Whether all that one says the other says too, which may say more: an API server fills in defaults. */
function isWithin(part: unknown, whole: unknown): boolean {
  if (Array.isArray(part)) {
    return Array.isArray(whole) && part.length === whole.length && part.every((item, i) => isWithin(item, whole[i]));
  }
  if (typeof part !== "object" || part === null) return part === whole;
  return Object.entries(part).every(([name, value]) =>
    isWithin(value, (whole as Record<string, unknown> | undefined)?.[name])
  );
}

/** What the manifest says, and what others than manifests have written. */
function mergedSpec(before: CronJob, { object: { spec } }: CronJob): DeepReadonly<CronJobObject>["spec"] {
  const applied = lastApplied(before)?.spec;
  // Adoption suspends it in the spec.
  const isKept = (field: string) => applied ? !(field in applied) : field === "suspend" && isAdopted(before);
  const kept = Object.entries(before.object.spec).filter(([field]) => !(field in spec) && isKept(field));
  return { ...spec, ...Object.fromEntries(kept) };
}

function isAdopted({ stewardship }: CronJob): boolean {
  return stewardship.suspendedIn === "annotation";
}

/** Settings that the manifest leaves out are gone. */
function mergedAnnotations(before: CronJob, manifest: CronJob): Readonly<Record<string, string>> {
  const own = manifest.metadata.annotations ?? {};
  const kept = Object.entries(before.metadata.annotations ?? {}).filter(([name]) => name in own || !isSetting(name));
  return { ...Object.fromEntries(kept), ...own };
}

function lastApplied(
  { metadata: { annotations } }: CronJob,
): { readonly spec?: Readonly<Record<string, unknown>> } | undefined {
  try {
    return JSON.parse(annotations?.[LAST_APPLIED] ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}
