import { compareQuantities } from "../../../kube/quantity.ts";
import type { Json } from "../../resource_kind.ts";
import { amountsOfAll, HUGE_PAGES } from "../validation/resources.ts";

const DIVISIBLE = ["cpu", "memory"];

/** Fills in what a Pod has in all, where it says so for some resource; core `defaultPodRequests`, `defaultHugePagePodLimits`. */
export function setResourcesOfAll({ resources, ...spec }: Json): void {
  const { limits = {}, requests = {} } = resources ?? {};
  if (Object.keys(limits).length + Object.keys(requests).length === 0) return;
  const limitOf = amountsOfAll(spec, "limits");
  for (const name of namedBy(spec, "limits")) {
    if (name.startsWith(HUGE_PAGES) && requests[name] === undefined) limits[name] ??= limitOf(name);
  }
  if (Object.keys(limits).length === 0) return;
  const requestOf = amountsOfAll(spec, "requests");
  const wanted = namedBy(spec, "requests").filter((name) => DIVISIBLE.includes(name))
    .map((name) => [name, requestOf(name)]);
  const limited = Object.entries(limits).filter(([name]) => DIVISIBLE.includes(name) || name.startsWith(HUGE_PAGES));
  Object.assign(resources, { limits, requests: { ...Object.fromEntries([...limited, ...wanted]), ...requests } });
  if (Object.keys(resources.requests).length === 0) delete resources.requests;
}

function namedBy({ containers = [], initContainers = [] }: Json, list: "limits" | "requests"): string[] {
  const names = [...containers, ...initContainers].flatMap(({ resources }) => Object.keys(resources?.[list] ?? {}));
  return [...new Set<string>(names)];
}

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
