import type { DeepReadonly } from "../../kube/object.ts";
import { recordOf, type StoredCronJob } from "./stored_cron_job.ts";
import type { FailedRun } from "./types.ts";

/** Reads the failed runs that are recorded; what is none is left out. */
export function readFailedRuns(cronJob: StoredCronJob): readonly DeepReadonly<FailedRun>[] {
  const recorded = recordOf(cronJob, "failedRuns");
  if (!Array.isArray(recorded)) return [];
  return (recorded as readonly (Partial<FailedRun> | null)[]).filter((run): run is FailedRun =>
    typeof run?.jobUid === "string" && typeof run.jobName === "string" && typeof run.terminated === "object"
  );
}
