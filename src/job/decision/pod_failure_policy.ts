import type { PodFailurePolicyOnExitCodesRequirement } from "kubernetes-types/batch/v1";
import type { ContainerStatus } from "kubernetes-types/core/v1";
import type { DeepReadonly } from "../../kube/object.ts";
import type { Job, Pod } from "../../kube/resource.ts";

export type FailureAction = "FailJob" | "FailIndex" | "Ignore" | "Count";

export interface FailureMatch {
  action: FailureAction;
  /** The message about it: which Pod met which rule, and how. */
  message: string;
}

/**
 * Returns the first rule of the Job's Pod failure policy that a failed Pod meets. Without any, the failure counts towards
 * the back-off limit as if there were no policy.
 *
 * https://kubernetes.io/docs/concepts/workloads/controllers/job/#pod-failure-policy
 */
export function matchFailurePolicy(job: DeepReadonly<Job>, pod: DeepReadonly<Pod>): FailureMatch | undefined {
  for (const [index, rule] of (job.spec?.podFailurePolicy?.rules ?? []).entries()) {
    const action = rule.action as FailureAction;
    const where = `matching ${action} rule at index ${index}`;
    const name = `${pod.metadata.namespace}/${pod.metadata.name}`;
    if (rule.onExitCodes) {
      const container = containerThatMeets(rule.onExitCodes, pod);
      if (!container) continue;
      const exitCode = container.state?.terminated?.exitCode;
      return {
        action,
        message: `Container ${container.name} for pod ${name} failed with exit code ${exitCode} ${where}`,
      };
    }
    const condition = pod.status?.conditions?.find((condition) =>
      rule.onPodConditions?.some(({ type, status }) =>
        type === condition.type && (status ?? "True") === condition.status
      )
    );
    if (condition) return { action, message: `Pod ${name} has condition ${condition.type} ${where}` };
  }
  return undefined;
}

/** Returns whether a failure counts towards the back-off limits. */
export function failureCounts(job: DeepReadonly<Job>, pod: DeepReadonly<Pod>): boolean {
  return matchFailurePolicy(job, pod)?.action !== "Ignore";
}

function containerThatMeets(
  requirement: DeepReadonly<PodFailurePolicyOnExitCodesRequirement>,
  pod: DeepReadonly<Pod>,
): DeepReadonly<ContainerStatus> | undefined {
  const meets = ({ name, state }: DeepReadonly<ContainerStatus>) => {
    const exitCode = state?.terminated?.exitCode;
    // Success is no failure, not even for `NotIn`.
    if (exitCode === undefined || exitCode === 0) return false;
    if (requirement.containerName !== undefined && requirement.containerName !== name) return false;
    const listed = requirement.values.includes(exitCode);
    return requirement.operator === "In" ? listed : requirement.operator === "NotIn" && !listed;
  };
  return pod.status?.containerStatuses?.find(meets) ?? pod.status?.initContainerStatuses?.find(meets);
}
