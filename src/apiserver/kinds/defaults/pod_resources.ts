import { compareQuantities } from "../../../kube/quantity.ts";
import type { Json } from "../../resource_kind.ts";

const DIVISIBLE = ["cpu", "memory"];

/** Returns how kubelets rank the Pod when resources are short: by what it has in all, or else by each container. */
export function qosClass({ spec }: Json): "Guaranteed" | "Burstable" | "BestEffort" {
  const counted: Json[] = spec.resources ? [spec] : [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  const amounts = (list: string, { resources }: Json): string[] =>
    DIVISIBLE.map((name) => resources?.[list]?.[name] ?? "0").filter((amount) => amount !== "0");
  if (counted.every((one) => amounts("requests", one).length + amounts("limits", one).length === 0)) {
    return "BestEffort";
  }
  const guaranteed = counted.every((one) => {
    const limits = amounts("limits", one);
    return limits.length === DIVISIBLE.length &&
      DIVISIBLE.every((name, index) =>
        compareQuantities(one.resources.requests?.[name] ?? limits[index], limits[index]!) === 0
      );
  });
  return guaranteed ? "Guaranteed" : "Burstable";
}
