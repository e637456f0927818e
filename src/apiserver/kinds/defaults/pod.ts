import type { Json } from "../../resource_kind.ts";
import { allContainers, setPodSpecDefaults } from "./pod_spec.ts";

const TAINTS_OUTLIVED = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];

/** Fills in what a Pod leaves out, as kube-apiserver does. */
export function setPodDefaults(pod: Json): void {
  setPodSpecDefaults(pod.spec);
  pod.spec.enableServiceLinks ??= true;
  for (const { resources } of allContainers(pod.spec)) {
    if (resources?.limits) resources.requests = { ...resources.limits, ...resources.requests };
  }
  const { status } = pod;
  if (status?.podIP && !status.podIPs) status.podIPs = [{ ip: status.podIP }];
  if (status?.hostIP && !status.hostIPs) status.hostIPs = [{ ip: status.hostIP }];
}

/** What kube-apiserver's admission plugins add to a new Pod. */
export function admitPod(pod: Json): void {
  const { spec } = pod;
  for (const key of TAINTS_OUTLIVED) {
    const tolerated = (spec.tolerations ?? []).some((toleration: Json) =>
      (toleration.key === key || !toleration.key) && (!toleration.effect || toleration.effect === "NoExecute")
    );
    if (!tolerated) {
      (spec.tolerations ??= []).push({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 });
    }
  }
  spec.priority ??= PRIORITY_CLASSES[spec.priorityClassName] ?? 0;
  spec.preemptionPolicy ??= "PreemptLowerPriority";
}

const PRIORITY_CLASSES: Record<string, number> = {
  "system-cluster-critical": 2_000_000_000,
  "system-node-critical": 2_000_001_000,
};

/** How kubelets rank the Pod when resources are short. */
export function qosClass(pod: Json): "Guaranteed" | "Burstable" | "BestEffort" {
  const counted = [...(pod.spec.containers ?? []), ...(pod.spec.initContainers ?? [])];
  const amounts = (kind: string, container: Json) =>
    ["cpu", "memory"].map((resource) => container.resources?.[kind]?.[resource]).filter((amount) =>
      amount !== undefined && amount !== "0"
    );
  if (counted.every((one) => amounts("requests", one).length + amounts("limits", one).length === 0)) {
    return "BestEffort";
  }
  const guaranteed = counted.every((one) =>
    amounts("limits", one).length === 2 &&
    ["cpu", "memory"].every((resource) =>
      (one.resources.requests?.[resource] ?? one.resources.limits[resource]) === one.resources.limits[resource]
    )
  );
  return guaranteed ? "Guaranteed" : "Burstable";
}
