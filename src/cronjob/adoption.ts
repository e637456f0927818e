import type { DeepReadonly } from "../kube/object.ts";
import { MANAGED, NEXT_SCHEDULE_TIME, SUSPEND } from "./annotations.ts";
import { isManaged } from "./regime.ts";
import type { CronJobObject } from "./types.ts";

/** What a write of a CronJob changes, as a merge patch has it: `null` takes an annotation away. */
export interface CronJobEdit {
  readonly annotations: Readonly<Record<string, string | null>>;
  readonly spec?: { readonly suspend: boolean };
}

/** To kube-controller-manager it is suspended from then on; whether it was becomes our own pause. */
export function adoptEdit(cronJob: DeepReadonly<CronJobObject>): CronJobEdit {
  const pause = isManaged(cronJob) ? cronJob.metadata.annotations?.[SUSPEND] ?? null : null;
  const wasSuspended = !isManaged(cronJob) && cronJob.spec.suspend === true;
  return { annotations: { [MANAGED]: "true", [SUSPEND]: wasSuspended ? "true" : pause }, spec: { suspend: true } };
}

/** The reverse. What was started by hand stays noted, so that another adoption does not start it again. */
export function releaseEdit({ metadata, spec }: DeepReadonly<CronJobObject>): CronJobEdit {
  return {
    annotations: { [MANAGED]: null, [SUSPEND]: null, [NEXT_SCHEDULE_TIME]: null },
    // Where it isn't suspended any more, that is what somebody wanted.
    spec: { suspend: spec.suspend === true && metadata.annotations?.[SUSPEND] === "true" },
  };
}
