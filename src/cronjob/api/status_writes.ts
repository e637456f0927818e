import type { DeepReadonly } from "../../kube/object.ts";
import type { CronJobObject } from "./types.ts";

/** Returns when a program of this name last wrote the status, as the API server has it; undefined where it never did. */
export function statusWrittenBy(manager: string, { metadata }: DeepReadonly<CronJobObject>): string | undefined {
  return metadata.managedFields?.find((entry) => entry.manager === manager && entry.subresource === "status")?.time;
}
