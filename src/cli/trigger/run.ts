import { requestId, whoAmI } from "../../actions/requester.ts";
import { planTrigger, TRIGGER_MANAGER } from "../../actions/trigger.ts";
import type { JobChanges } from "../../actions/job_by_hand.ts";
import type { Clock } from "../../runtime/clock.ts";
import { ConfigError } from "../errors.ts";
import { act } from "../shared/act.ts";
import type { ChooseOptions } from "../shared/choose_options.ts";
import { chosenCronJobs } from "../shared/chosen_cron_jobs.ts";
import { withCluster } from "../shared/with_cluster.ts";
import { followRun } from "./follow_run.ts";

/** What the command line of `trigger` says. */
export interface TriggerOptions extends ChooseOptions {
  follow: boolean;
  set: JobChanges["env"];
  args: readonly string[];
}

/** Starts a run of each chosen CronJob now; with `follow`, prints what it writes, and ends with its outcome. */
export async function runTrigger(options: TriggerOptions, clock: Clock): Promise<void> {
  if (options.follow && options.dryRun) throw new ConfigError("Give either --follow or --dry-run, not both");
  if (options.follow && options.output === "json") {
    throw new ConfigError("Give either --follow or --output json, not both");
  }
  await withCluster(options, "trigger", async (client, { namespace, ...place }) => {
    const cronJobs = await chosenCronJobs(client, options, namespace);
    if (options.follow && cronJobs.length !== 1) {
      throw new ConfigError(`--follow needs one CronJob, and these are ${cronJobs.length}`);
    }
    const now = clock.now();
    const request = {
      id: requestId("cli", now, await whoAmI(client)),
      now,
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
