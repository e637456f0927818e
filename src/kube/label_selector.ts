import type { LabelSelector } from "kubernetes-types/meta/v1";
import { ownValue } from "../base/own_value.ts";
import type { DeepReadonly } from "./object.ts";

export type Labels = Readonly<Record<string, string>>;

/** Returns whether labels meet a selector; one without any requirement selects all. */
export function matchesLabelSelector(
  { matchLabels, matchExpressions }: DeepReadonly<LabelSelector>,
  labels: Labels,
): boolean {
  // An API server without the schema may have stored null.
  return Object.entries(matchLabels ?? {}).every(([key, value]) => ownValue(labels, key) === value) &&
    (matchExpressions ?? []).every(({ key, operator, values: wanted }) => {
      const value = ownValue(labels, key), values = wanted ?? [];
      switch (operator) {
        case "In":
          return value !== undefined && values.includes(value);
        case "NotIn":
          return value === undefined || !values.includes(value);
        case "Exists":
          return value !== undefined;
        case "DoesNotExist":
          return value === undefined;
        default:
          return false;
      }
    });
}
