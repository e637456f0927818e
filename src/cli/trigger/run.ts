import { planTrigger, TRIGGER_MANAGER } from "../../actions/trigger.ts";
import type { JobChanges } from "../../actions/job_by_hand.ts";
import type { Clock } from "../../base/clock.ts";
import { act } from "../cluster/act.ts";
import type { ActOptions } from "../flags/choice.ts";
import { requestBy, withChosen } from "../cluster/with_chosen.ts";
import { followRun } from "./follow_run.ts";

/** The options of `trigger` on the command line. */
export interface TriggerOptions extends ActOptions {
  follow: boolean;
  set: JobChanges["env"];
  args: readonly string[];
}

/** Starts a run of each chosen CronJob now; with `follow`, prints what it writes, and ends with its outcome. */
export async function runTrigger(options: TriggerOptions, clock: Clock): Promise<void> {
  await withChosen(options, "trigger", async (client, cronJobs, place) => {
    const request = {
      ...await requestBy(client, clock),
      changes: { args: options.args, env: options.set },
      controllers: await place.controllers(clock),
    };
    const outcomes = await act(client, cronJobs, {
      fieldManager: TRIGGER_MANAGER,
      plan: (cronJob) => planTrigger(cronJob, request),
    }, options);
    for (const { cronJob, result, job } of outcomes) {
      if (options.follow && result === "done" && job !== undefined) {
        await followRun(client, { cronJob, job, trigger: request.id }, { ...options, clock });
      }
    }
  });
}
