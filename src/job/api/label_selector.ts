import type { LabelSelector } from "kubernetes-types/meta/v1";
import { type Labels, matchesLabelSelector } from "../../kube/label_selector.ts";
import type { DeepReadonly } from "../../kube/object.ts";

/**
 * Returns whether labels meet a selector. One without any requirement selects nothing here: a Job always has
 * requirements.
 */
export function selects(selector: DeepReadonly<LabelSelector> | undefined, labels: Labels = {}): boolean {
  const { matchLabels, matchExpressions } = selector ?? {};
  const isEmpty = Object.keys(matchLabels ?? {}).length + (matchExpressions ?? []).length === 0;
  return selector !== undefined && !isEmpty && matchesLabelSelector(selector, labels);
}
