import type { Pod } from "../../kube/resource.ts";
import type { RunOfContainer } from "../runtime.ts";

/** Labels by which containers are found. The labels about the Pod are Kubernetes' own. */
export const LABELS = {
  podUid: "io.kubernetes.pod.uid",
  podName: "io.kubernetes.pod.name",
  podNamespace: "io.kubernetes.pod.namespace",
  dataDir: "cronjob-controller.dev/data-dir",
} as const;

/** Returns the name of a run's container. The engine refuses a second one of the same name: that is the lock. */
export function containerName(run: { uid: string; container: string; restartCount: number }): string {
  return `cjc-${run.uid}-${run.container}-${run.restartCount}`;
}

/** Returns the same for a run that is at hand. */
export function nameOf({ pod, container, files }: RunOfContainer): string {
  return containerName({ uid: pod.metadata.uid, container: container.name, restartCount: files.restartCount });
}

/** Returns the name of what containers of one Pod share. */
export function sandboxName(uid: string): string {
  return `cjc-${uid}`;
}

/** Returns the labels of what belongs to a Pod. */
export function podLabels({ metadata: { uid, name, namespace } }: Pod, dataDir: string): Record<string, string> {
  return {
    [LABELS.podUid]: uid,
    [LABELS.podName]: name,
    [LABELS.podNamespace]: namespace!,
    [LABELS.dataDir]: dataDir,
  };
}
