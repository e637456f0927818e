import type { DeepReadonly } from "../../kube/object.ts";
import { BACKFILL_PROGRESS, FAILED_RUNS, FAILURES, RECORD_LOST } from "./annotations.ts";
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

/** The annotations for fields that a closed status has no room for, as JSON. */
const ANNOTATIONS = {
  backfill: BACKFILL_PROGRESS,
  failedRuns: FAILED_RUNS,
  failuresInARow: FAILURES,
  recordLost: RECORD_LOST,
};

/** Returns what is recorded in a field of the status. An annotation may hold any JSON in its place. */
export function recordOf<Field extends keyof typeof ANNOTATIONS>(
  { flavour, status, metadata }: StoredCronJob,
  field: Field,
): StoredCronJob["status"][Field] | null {
  if (flavour.openStatus) return status[field];
  return readJson(metadata.annotations?.[ANNOTATIONS[field]]) as StoredCronJob["status"][Field] | null;
}

/** Reads what an annotation holds as JSON; undefined where there is none, or it can't be read. */
export function readJson(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
