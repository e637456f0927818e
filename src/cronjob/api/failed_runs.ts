import type { DeepReadonly } from "../../kube/object.ts";
import { FAILED_RUNS } from "./annotations.ts";
import type { Flavour } from "./flavour.ts";
import { readJson } from "./read_json.ts";
import type { CronJobObject, FailedRun } from "./types.ts";

/** Reads the failed runs that are recorded; what is none is left out. */
export function readFailedRuns(
  { openStatus }: Flavour,
  { status, metadata }: DeepReadonly<CronJobObject>,
): readonly DeepReadonly<FailedRun>[] {
  const recorded = openStatus ? status?.failedRuns : readJson(metadata.annotations?.[FAILED_RUNS]);
  if (!Array.isArray(recorded)) return [];
  return (recorded as readonly (Partial<FailedRun> | null)[]).filter((run): run is FailedRun =>
    typeof run?.jobUid === "string" && typeof run.jobName === "string" && typeof run.terminated === "object"
  );
}
