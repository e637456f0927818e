import type { DeepReadonly } from "../../kube/object.ts";
import type { Job } from "../../kube/resource.ts";
import { IndexSet } from "../api/index_set.ts";
import { indexesOf, isIndexed } from "../api/spec.ts";

/**
 * Returns what to say if the succeeded indexes are enough for a rule of the Job's success policy.
 *
 * https://kubernetes.io/docs/concepts/workloads/controllers/job/#success-policy
 */
export function matchSuccessPolicy(job: DeepReadonly<Job>, succeeded: IndexSet): string | undefined {
  if (!isIndexed(job) || succeeded.size === 0) return undefined;
  const rules = job.spec?.successPolicy?.rules ?? [];
  const met = rules.findIndex(({ succeededIndexes, succeededCount }) => {
    if (succeededIndexes === undefined) return succeededCount !== undefined && succeeded.size >= succeededCount;
    const required = IndexSet.parse(succeededIndexes, indexesOf(job));
    const there = required.overlap(succeeded);
    return required.size > 0 && (there === required.size || (succeededCount !== undefined && there >= succeededCount));
  });
  return met < 0 ? undefined : `Matched rules at index ${met}`;
}
