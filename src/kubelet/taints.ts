import type { Taint, Toleration } from "kubernetes-types/core/v1";
import type { Node, Pod } from "../kube/resource.ts";

/** What `kubectl cordon` amounts to. */
const CORDONED: Taint = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };

/** Returns what keeps a Pod off a node in the words of Kubernetes' scheduler; undefined where nothing does. */
export function repulsion(pod: Pod, node: Node | undefined): string | undefined {
  const { unschedulable, taints = [] } = node?.spec ?? {};
  if (unschedulable && !tolerates(pod, CORDONED)) return "node(s) were unschedulable";
  const taint = taints.find((taint) => taint.effect !== "PreferNoSchedule" && !tolerates(pod, taint));
  return taint && `node(s) had untolerated taint {${taint.key}: ${taint.value ?? ""}}`;
}

/** Returns how long a Pod may stay on a node with these taints, from when each was set. Infinity: for ever. */
export function toleratedMs(pod: Pod, taint: Taint): number {
  const matching = tolerations(pod).filter((toleration) => matches(toleration, taint));
  if (matching.length === 0) return 0;
  return Math.min(...matching.map(({ tolerationSeconds }) => Math.max(0, tolerationSeconds ?? Infinity) * 1000));
}

function tolerates(pod: Pod, taint: Taint): boolean {
  return tolerations(pod).some((toleration) => matches(toleration, taint));
}

function tolerations(pod: Pod): readonly Toleration[] {
  return pod.spec?.tolerations ?? [];
}

/** Core `Toleration.ToleratesTaint`. */
function matches({ key = "", operator = "Equal", value = "", effect = "" }: Toleration, taint: Taint): boolean {
  if (effect !== "" && effect !== taint.effect) return false;
  if (key !== "" && key !== taint.key) return false;
  return operator === "Exists" || (operator === "Equal" && value === (taint.value ?? ""));
}
