import type { DeepReadonly } from "../../kube/object.ts";
import type { Job } from "../../kube/resource.ts";
import { IndexSet } from "../api/index_set.ts";
import { indexesOf } from "../api/spec.ts";

/** The counts of the stored status for Pods that have ended. */
export interface StoredCounts {
  /** UIDs that are in no counter yet. */
  readonly succeeded: ReadonlySet<string>;
  readonly failed: ReadonlySet<string>;
  /** Of an Indexed Job. */
  readonly completedIndexes: IndexSet;
  readonly failedIndexes: IndexSet;
}

/** Returns what the stored status has of Pods that have ended, with sets in place of its lists and ranges. */
export function storedCounts(job: DeepReadonly<Job>): StoredCounts {
  const { uncountedTerminatedPods: uncounted, completedIndexes, failedIndexes } = job.status ?? {};
  const indexes = indexesOf(job);
  return {
    succeeded: new Set(uncounted?.succeeded),
    failed: new Set(uncounted?.failed),
    completedIndexes: IndexSet.parse(completedIndexes, indexes),
    failedIndexes: IndexSet.parse(failedIndexes, indexes),
  };
}
