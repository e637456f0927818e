import type { LabelSelector } from "kubernetes-types/meta/v1";
import type { DeepReadonly } from "../../kube/object.ts";

type Labels = Readonly<Record<string, string>>;

/**
 * Returns whether labels meet a selector. One without any requirement selects nothing here: a Job always has
 * requirements.
 */
export function selects(selector: DeepReadonly<LabelSelector> | undefined, labels: Labels = {}): boolean {
  const wanted = Object.entries(selector?.matchLabels ?? {});
  const expressions = selector?.matchExpressions ?? [];
  if (wanted.length + expressions.length === 0) return false;
  return wanted.every(([key, value]) => labels[key] === value) &&
    expressions.every(({ key, operator, values }) => {
      const value = labels[key];
      switch (operator) {
        case "In":
          return value !== undefined && (values ?? []).includes(value);
        case "NotIn":
          return value === undefined || !(values ?? []).includes(value);
        case "Exists":
          return value !== undefined;
        case "DoesNotExist":
          return value === undefined;
        default:
          return false;
      }
    });
}
