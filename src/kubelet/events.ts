import type { Pod } from "../kube/resource.ts";
import type { Notice } from "./inputs/check.ts";
import type { RunOfContainer } from "./runtime.ts";
import type { PodContext } from "./context.ts";

/** Reports that a container, or all of the Pod, cannot be started. The console gets each piece of news once. */
export function reportCannotStart(context: PodContext, pod: Pod, reason: string, message: string): void {
  context.event(pod, "Warning", reason, message);
  const { namespace, name, uid } = pod.metadata;
  if (context.isNews(`${uid} ${message}`)) {
    context.onCannotStart?.({ pod: { namespace: namespace!, name }, reason, message });
  }
}

/** Reports what a manifest asks for and a container does not get. */
export function reportWhatIsMissing(
  context: PodContext,
  { pod, container }: RunOfContainer,
  notices: readonly Notice[],
): void {
  const owner = pod.metadata.ownerReferences?.find(({ controller }) => controller)?.uid;
  for (const { reason, message } of notices) {
    // All Pods of a Job are alike: the Event of the first stands for all. Where a mount is differs from Pod to Pod.
    const isSaid = reason === "Ignored" && owner && !context.isNews(`${owner} ${container.name}`);
    if (!isSaid) context.event(pod, "Warning", reason, message);
  }
}
