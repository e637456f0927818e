import { eachNamespace } from "../../kube/namespaces.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { SimulationReport } from "../../simulate/report.ts";
import { readCluster } from "./gather.ts";
import { simulate, type SimulationOptions } from "./simulation.ts";

/** Simulates the CronJobs of a cluster for the 24 hours to come, as `simulate --from now` does. */
export async function simulateDay(
  client: KubeClient,
  { namespaces, ...options }: Pick<SimulationOptions, "now" | "controllers"> & {
    readonly namespaces: readonly string[];
  },
): Promise<SimulationReport> {
  const reads = eachNamespace(namespaces).map((namespace) => readCluster(client, namespace, options));
  const found = (await Promise.all(reads)).flat();
  return (await simulate(found, [], { ...options, from: "0s", durations: "history" })).report;
}
