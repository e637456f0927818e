import { LAST_TRIGGER, TRIGGER } from "../api/annotations.ts";
import type { DeepReadonly } from "../../kube/object.ts";
import type { CronJobApi } from "../api/flavour.ts";
import type { Occasion } from "./job_template.ts";
import type { CronJobObject } from "../api/types.ts";
import type { World } from "./plan.ts";

/** The run that somebody asks for by the trigger annotation, until the request has been answered. */
export function pendingTrigger({ api, cronJob, now }: World): Extract<Occasion, { trigger: "Manual" }> | undefined {
  const id = cronJob.metadata.annotations?.[TRIGGER];
  return !id || id === answeredTrigger(api, cronJob) ? undefined : { trigger: "Manual", id, at: now };
}

/** The newest request that has been answered. */
export function answeredTrigger(api: CronJobApi, cronJob: DeepReadonly<CronJobObject>): string | undefined {
  return api.openStatus ? cronJob.status?.lastTrigger : cronJob.metadata.annotations?.[LAST_TRIGGER];
}
