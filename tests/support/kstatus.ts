import type { CronJobObject } from "../../src/cronjob/api/types.ts";
import type { DeepReadonly } from "../../src/kube/object.ts";

export interface KStatus {
  readonly status: "Current" | "InProgress" | "Failed" | "Terminating";
  readonly message: string;
}

/**
 * Returns what kstatus makes of a custom resource, by which `helm --wait` of Helm 4, Flux and `kubectl`'s appliers go: the
 * first of these rules that holds.
 */
export function kstatusOf({ metadata, status = {} }: DeepReadonly<CronJobObject>): KStatus {
  const { observedGeneration, conditions = [] } = status;
  const find = (type: string) => conditions.find((condition) => condition.type === type);
  const [reconciling, stalled, ready] = [find("Reconciling"), find("Stalled"), find("Ready")];
  if (metadata.deletionTimestamp !== undefined) {
    return { status: "Terminating", message: "Resource scheduled for deletion" };
  }
  if (observedGeneration !== undefined && observedGeneration !== metadata.generation) {
    return {
      status: "InProgress",
      message: `generation is ${metadata.generation}, observed was ${observedGeneration}`,
    };
  }
  if (reconciling?.status === "True") return { status: "InProgress", message: reconciling.message };
  if (stalled?.status === "True") return { status: "Failed", message: stalled.message };
  if (ready !== undefined && ready.status !== "True") return { status: "InProgress", message: ready.message };
  return { status: "Current", message: "Resource is current" };
}
