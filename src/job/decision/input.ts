import type { DeepReadonly } from "../../kube/object.ts";
import type { Job } from "../../kube/resource.ts";
import type { EpochMs } from "../../base/epoch_ms.ts";
import type { PodView } from "../api/pod_view.ts";

/** All that a decision about one Job rests on. */
export interface DecisionInput {
  /** The newest version that we know of, our own last write included. */
  readonly job: DeepReadonly<Job>;
  /** The Pods that the Job controls, those just created included. */
  readonly pods: readonly PodView[];
  /** The Job's failures since its last success, as known before these Pods were read. */
  readonly failures: FailureRecord;
  readonly backoff: BackoffTimes;
  readonly now: EpochMs;
  /** Pods are left as they are: some have just been created or deleted, or could not be. */
  readonly podsHeld?: boolean | undefined;
  /** Until when a status that changes nothing but numbers is held back, to be written along with the next change. */
  readonly statusHeldUntil?: EpochMs | undefined;
}

/** The failures of a Job since its last success: Pod UID -> when it failed. */
export interface FailureRecord {
  readonly lastSuccessAt: EpochMs | undefined;
  readonly failures: ReadonlyMap<string, EpochMs>;
}

/** How long a failed Pod's successor is held back: `firstMs` after the first failure, doubling up to `maxMs`. */
export interface BackoffTimes {
  readonly firstMs: number;
  readonly maxMs: number;
}
