import type { DeepReadonly } from "../../kube/object.ts";
import type { Flavour } from "./flavour.ts";
import type { CronJobObject, CronJobStatus } from "./types.ts";

/** A CronJob as the API server stores it. */
export interface StoredCronJob {
  readonly flavour: Flavour;
  /** Raw, and untouched. */
  readonly object: DeepReadonly<CronJobObject>;
  readonly metadata: DeepReadonly<CronJobObject>["metadata"];
  /** The status as it was last written; empty where there is none yet. */
  readonly status: DeepReadonly<CronJobStatus>;
}

/** Reads what an annotation holds as JSON; undefined where there is none, or it can't be read. */
export function readJson(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
