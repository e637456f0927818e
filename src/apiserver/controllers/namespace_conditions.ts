import { type EpochMs, formatTime } from "../../base/epoch_ms.ts";
import { withCondition } from "../kinds/conditions.ts";
import type { Json, ResourceKind } from "../resource_kind.ts";

/** The remaining objects of a namespace: for each the name of its resource, such as `jobs.batch`, and its finalizers. */
export interface Remainder {
  readonly resources: readonly string[];
  readonly finalizers: readonly string[];
}

/** Returns the name of a resource in these conditions: `pods.`, `jobs.batch`. */
export function remainderName({ plural, group }: Pick<ResourceKind, "plural" | "group">): string {
  return `${plural}.${group}`;
}

/**
 * Returns the five conditions of a namespace that is being emptied, as kube-controller-manager writes them. A condition
 * that still says the same keeps its time.
 */
export function terminatingConditions(
  { resources, finalizers }: Remainder,
  before: readonly Json[],
  now: EpochMs,
): readonly Json[] {
  const left = counted(resources, "has"), held = counted(finalizers, "in");
  const conditions: readonly (readonly [type: string, reason: string, message: string, isTrue?: boolean])[] = [
    ["DeletionDiscoveryFailure", "ResourcesDiscovered", "All resources successfully discovered"],
    ["DeletionGroupVersionParsingFailure", "ParsedGroupVersions", "All legacy kube types successfully parsed"],
    ["DeletionContentFailure", "ContentDeleted", "All content successfully deleted, may be waiting on finalization"],
    left
      ? ["ContentRemaining", "SomeResourcesRemain", `Some resources are remaining: ${left}`, true]
      : ["ContentRemaining", "ContentRemoved", "All content successfully removed"],
    held
      ? [
        "FinalizersRemaining",
        "SomeFinalizersRemain",
        `Some content in the namespace has finalizers remaining: ${held}`,
        true,
      ]
      : ["FinalizersRemaining", "ContentHasNoFinalizers", "All content-preserving finalizers finished"],
  ];
  return conditions.reduce((all: readonly Json[], [name, reason, message, isTrue]) => {
    const condition = { type: `Namespace${name}`, status: isTrue ? "True" : "False", reason, message };
    return withCondition(all, condition, formatTime(now));
  }, before);
}

function counted(names: readonly string[], verb: string): string {
  return [...Map.groupBy(names, (name) => name)]
    .map(([name, { length }]) => `${name} ${verb} ${length} resource instances`).sort().join(", ");
}
