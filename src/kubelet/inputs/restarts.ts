import type { Container } from "kubernetes-types/core/v1";
import type { Pod } from "../../kube/resource.ts";

/** What a container says for itself; the types that we have know it of sidecars alone. */
interface OwnPolicy {
  readonly restartPolicy?: string;
  readonly restartPolicyRules?: readonly unknown[];
}

/**
 * Returns whether a container that has ended is started again. Its own policy goes before the Pod's.
 */
export function isRestarted(pod: Pod, container: Container, exitCode: number): boolean {
  const { restartPolicy: own } = container as OwnPolicy;
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

/** Returns the field of rules by exit codes, which have no effect here. */
export function unusableRules(container: Container): string[] {
  return (container as OwnPolicy).restartPolicyRules?.length ? ["restartPolicyRules"] : [];
}
