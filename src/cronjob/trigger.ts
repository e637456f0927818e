import { LAST_TRIGGER, TRIGGER } from "./annotations.ts";
import type { Occasion } from "./job_template.ts";
import type { World } from "./world.ts";

/** The run that somebody asks for by the trigger annotation, until the request has been answered. */
export function pendingTrigger({ api, cronJob, now }: World): Extract<Occasion, { trigger: "Manual" }> | undefined {
  const { annotations } = cronJob.metadata;
  const id = annotations?.[TRIGGER];
  const answered = api.openStatus ? cronJob.status?.lastTrigger : annotations?.[LAST_TRIGGER];
  return !id || id === answered ? undefined : { trigger: "Manual", id, at: now };
}
