import type { Container } from "kubernetes-types/core/v1";
import type { Pod } from "../../kube/resource.ts";

/** Returns whether a container that has ended is started again. Its own policy goes before the Pod's. */
export function isRestarted(pod: Pod, container: Container, exitCode: number): boolean {
  // The types that we have know it of sidecars alone.
  const { restartPolicy: own } = container as { restartPolicy?: string };
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
