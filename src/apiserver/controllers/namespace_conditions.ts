import { type EpochMs, formatTime } from "../../schedule/epoch_ms.ts";
import type { Json, ResourceKind } from "../resource_kind.ts";

/** What is left in a namespace: `pods.` or `jobs.batch`, or a finalizer, and how often. */
export interface Remainder {
  readonly resources: ReadonlyMap<string, number>;
  readonly finalizers: ReadonlyMap<string, number>;
}

/** How a resource is called in these conditions: with a dot behind it even in the core group. */
export function remainderName({ plural, group }: Pick<ResourceKind, "plural" | "group">): string {
  return `${plural}.${group}`;
}

/**
 * The five conditions of a namespace that is being emptied, as kube-controller-manager writes them. A condition that still
 * says the same keeps its time.
 */
export function terminatingConditions(
  { resources, finalizers }: Remainder,
  before: readonly Json[],
  now: EpochMs,
): Json[] {
  const conditions = [
    {
      type: "NamespaceDeletionDiscoveryFailure",
      status: "False",
      reason: "ResourcesDiscovered",
      message: "All resources successfully discovered",
    },
    {
      type: "NamespaceDeletionGroupVersionParsingFailure",
      status: "False",
      reason: "ParsedGroupVersions",
      message: "All legacy kube types successfully parsed",
    },
    {
      type: "NamespaceDeletionContentFailure",
      status: "False",
      reason: "ContentDeleted",
      message: "All content successfully deleted, may be waiting on finalization",
    },
    resources.size
      ? {
        type: "NamespaceContentRemaining",
        status: "True",
        reason: "SomeResourcesRemain",
        message: `Some resources are remaining: ${counted(resources, "has")}`,
      }
      : {
        type: "NamespaceContentRemaining",
        status: "False",
        reason: "ContentRemoved",
        message: "All content successfully removed",
      },
    finalizers.size
      ? {
        type: "NamespaceFinalizersRemaining",
        status: "True",
        reason: "SomeFinalizersRemain",
        message: `Some content in the namespace has finalizers remaining: ${counted(finalizers, "in")}`,
      }
      : {
        type: "NamespaceFinalizersRemaining",
        status: "False",
        reason: "ContentHasNoFinalizers",
        message: "All content-preserving finalizers finished",
      },
  ];
  return conditions.map((condition) => {
    const old = before.find(({ type }) => type === condition.type);
    const lastTransitionTime = old?.status === condition.status ? old.lastTransitionTime : formatTime(now);
    return { ...condition, lastTransitionTime };
  });
}

function counted(counts: ReadonlyMap<string, number>, verb: string): string {
  return [...counts].map(([name, count]) => `${name} ${verb} ${count} resource instances`).sort().join(", ");
}
