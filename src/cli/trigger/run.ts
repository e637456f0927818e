import { planTrigger, TRIGGER_MANAGER } from "../../actions/trigger.ts";
import type { JobChanges } from "../../actions/job_by_hand.ts";
import type { Clock } from "../../base/clock.ts";
import { act } from "../cluster/act.ts";
import type { ActOptions } from "../flags/choice.ts";
import { requestBy, withChosen } from "../cluster/with_chosen.ts";
import { followRun } from "./follow_run.ts";

/** Starts a run of each chosen CronJob now; with `follow`, prints what it writes, and ends with its outcome. */
export async function runTrigger(
  { set: env, args, ...options }: ActOptions & { readonly set: JobChanges["env"]; readonly args: readonly string[] },
  clock: Clock,
): Promise<void> {
  await withChosen(options, "trigger", async (client, cronJobs, place) => {
    const request = {
      ...await requestBy(client, clock),
      changes: { args, env },
      controllers: await place.controllers(clock),
    };
    const [outcome] = await act(client, cronJobs, {
      fieldManager: TRIGGER_MANAGER,
      plan: (cronJob) => planTrigger(cronJob, request),
    }, options);
    if (!options.follow || outcome?.result !== "done" || outcome.job === undefined) return;
    await followRun(client, { cronJob: outcome.cronJob, job: outcome.job, trigger: request.id }, { ...options, clock });
  });
}
