import type { Container } from "kubernetes-types/core/v1";
import type { Pod } from "../../kube/resource.ts";

/** What a container says for itself; the types that we have know it of sidecars alone. */
interface OwnPolicy {
  readonly restartPolicy?: string;
  readonly restartPolicyRules?: readonly Rule[];
}

interface Rule {
  readonly action: string;
  readonly exitCodes?: { readonly operator: string; readonly values?: readonly number[] };
}

/**
 * Returns whether a container that has ended is started again. What it says for itself goes before what the Pod says: the
 * first of its rules that it meets, else its own policy.
 *
 * https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#container-restart-rules
 */
export function isRestarted(pod: Pod, container: Container, exitCode: number): boolean {
  const { restartPolicy: own, restartPolicyRules = [] } = container as OwnPolicy;
  if (restartPolicyRules.find((rule) => isMet(rule, exitCode))?.action === "Restart") return true;
  switch (own ?? pod.spec?.restartPolicy) {
    case "Never":
      return false;
    case "OnFailure":
      return exitCode !== 0;
    default:
      // An init container that says `Always` for itself is a sidecar.
      return own !== undefined || exitCode !== 0 || !pod.spec?.initContainers?.includes(container);
  }
}

/** Returns rules that have no effect here: a container is restarted alone. */
export function unusableRules(container: Container): string[] {
  return ((container as OwnPolicy).restartPolicyRules ?? [])
    .flatMap(({ action }, index) => action === "Restart" ? [] : [`restartPolicyRules[${index}].action ${action}`]);
}

function isMet({ exitCodes }: Rule, exitCode: number): boolean {
  const isListed = exitCodes?.values?.includes(exitCode) ?? false;
  return exitCodes?.operator === "In" ? isListed : exitCodes?.operator === "NotIn" && !isListed;
}
