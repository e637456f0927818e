import type { Pod } from "../../kube/resource.ts";
import type { Container } from "../../view/containers.ts";
import { readPod } from "../../view/pod_facts.ts";

/** Returns what stands before each line of a container where there are several, or several Pods. */
export function prefixOf(
  { pod, name }: Pick<Container, "pod" | "name">,
  all: readonly Pick<Container, "pod" | "name">[],
  pods: number,
): string {
  if (all.some((other) => other.pod === pod && other.name !== name)) return `${pod}/${name} | `;
  return pods > 1 ? `${pod} | ` : "";
}

/** Returns why nothing of a Pod has started; undefined where that is not so, or nothing is wrong. */
export function waitOf(pod: Pod): string | undefined {
  const { name, hasStarted, waiting } = readPod(pod);
  if (!waiting || hasStarted) return undefined;
  return `Pod ${name} has not started: ${waiting.reason}${waiting.message ? `: ${waiting.message}` : ""}`;
}
