import type { Container } from "kubernetes-types/core/v1";
import type { Pod } from "../kube/resource.ts";
import { ignoredFields } from "./pod_check.ts";
import type { PodContext } from "./pod_context.ts";
import { mountNotice } from "./pod_volumes.ts";

/** Reports that a container, or all of the Pod, cannot be started. The console gets each piece of news once. */
export function reportCannotStart(
  context: PodContext,
  pod: Pod,
  about: { readonly reason: string; readonly message: string; readonly isNews: boolean },
): void {
  const { reason, message, isNews } = about;
  context.event(pod, "Warning", reason, message);
  const { namespace, name } = pod.metadata;
  if (isNews) context.onCannotStart?.({ pod: { namespace: namespace!, name }, reason, message });
}

/** Reports what a manifest asks for and a plain process cannot have. */
export function reportWhatIsMissing(context: PodContext, pod: Pod, container: Container): void {
  const notice = mountNotice(container);
  if (notice) context.event(pod, "Warning", "NotMounted", notice);
  const ignored = ignoredFields(container);
  if (ignored.length === 0) return;
  const owner = pod.metadata.ownerReferences?.find(({ controller }) => controller)?.uid;
  // All Pods of a Job are alike: the first one's Event stands for all.
  if (owner && !context.isNews(`${owner} ${container.name}`)) return;
  const message = `Container "${container.name}" is a plain process: ${ignored.join(", ")} have no effect`;
  context.event(pod, "Warning", "Ignored", message);
}

/** Reports that a container waits for its next run. */
export function reportBackOff(context: PodContext, pod: Pod, container: string): void {
  const { name, namespace, uid } = pod.metadata;
  const message = `Back-off restarting failed container ${container} in pod ${name}_${namespace}(${uid})`;
  context.event(pod, "Warning", "BackOff", message);
}
