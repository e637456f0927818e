import type { CronJob } from "../cronjob/api/cron_job.ts";
import type { DeepReadonly, ObjectMeta } from "../kube/object.ts";

/** Fields by their names. */
export type Fields = Readonly<Record<string, unknown>>;

/** What a manifest said when it was last applied: what it leaves out now goes. */
export interface LastApplied {
  readonly spec: Fields;
  readonly annotations: Fields;
}

const NOTHING: LastApplied = { spec: {}, annotations: {} };

/** `kubectl apply` notes it in an annotation; for server-side apply the API server notes who owns what. */
export function lastApplied({ metadata }: CronJob): LastApplied {
  return notedByKubectl(metadata.annotations) ?? ownedByApplier(metadata.managedFields) ?? NOTHING;
}

const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

function notedByKubectl(annotations: CronJob["metadata"]["annotations"]): LastApplied | undefined {
  try {
    const manifest = JSON.parse(annotations?.[LAST_APPLIED] ?? "null");
    return manifest === null
      ? undefined
      : { spec: manifest.spec ?? {}, annotations: manifest.metadata?.annotations ?? {} };
  } catch {
    return undefined;
  }
}

/** Fields as managedFields has them: `{ "f:spec": { "f:suspend": {} } }`. */
interface OwnedFields {
  readonly [field: string]: OwnedFields | undefined;
}

/** The manager that applies the whole manifest owns the schedule, which none does without. What others own too stays. */
function ownedByApplier(managedFields: DeepReadonly<ObjectMeta["managedFields"]> = []): LastApplied | undefined {
  const entries = managedFields.map(({ operation, subresource, fieldsV1 }) => {
    const owned = (fieldsV1 ?? {}) as OwnedFields;
    const spec = owned["f:spec"] ?? {};
    return { operation, subresource, spec, annotations: owned["f:metadata"]?.["f:annotations"] ?? {} };
  });
  const applier = entries.find(({ operation, subresource, spec }) =>
    operation === "Apply" && subresource === undefined && "f:schedule" in spec
  );
  if (applier === undefined) return undefined;
  const others = entries.filter((entry) => entry !== applier);
  const alone = (part: "spec" | "annotations") => {
    const names = Object.keys(applier[part]).filter((name) => !others.some((other) => name in other[part]));
    return Object.fromEntries(names.filter((name) => name.startsWith("f:")).map((name) => [name.slice(2), {}]));
  };
  return { spec: alone("spec"), annotations: alone("annotations") };
}

/** Returns what the manifest says, and what others than manifests have written. Lists are taken whole. */
export function mergedWith(live: unknown, lastApplied: unknown, manifest: unknown): unknown {
  if (!isFields(live) || !isFields(manifest)) return manifest;
  const applied = isFields(lastApplied) ? lastApplied : {};
  const kept = Object.entries(live).filter(([name]) => !(name in manifest) && !(name in applied));
  const said = Object.entries(manifest).map(([name, value]) => [name, mergedWith(live[name], applied[name], value)]);
  return Object.fromEntries([...kept, ...said]);
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
