import { ownValue } from "../../../runtime/own_value.ts";
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

/** Adds what kube-apiserver's admission plugins add to a new Pod. */
export function admitPod({ spec }: Json): void {
  spec.priority ??= ownValue<number>(PRIORITY_CLASSES, spec.priorityClassName ?? "") ?? 0;
  spec.preemptionPolicy ??= "PreemptLowerPriority";
  for (const key of TAINTS_OUTLIVED) {
    const tolerated = (spec.tolerations ?? []).some((toleration: Json) =>
      (toleration.key === key || !toleration.key) && (!toleration.effect || toleration.effect === "NoExecute")
    );
    if (!tolerated) {
      (spec.tolerations ??= []).push({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 });
    }
  }
}

const PRIORITY_CLASSES: Record<string, number> = {
  "system-cluster-critical": 2_000_000_000,
  "system-node-critical": 2_000_001_000,
};
