import { PAUSE_MANAGER } from "../../actions/pause.ts";
import { requestId, whoAmI } from "../../actions/requester.ts";
import { planResume } from "../../actions/resume.ts";
import type { Clock } from "../../runtime/clock.ts";
import { act } from "../shared/act.ts";
import type { ChooseOptions } from "../shared/choose_options.ts";
import { chosenCronJobs } from "../shared/chosen_cron_jobs.ts";
import { withCluster } from "../shared/with_cluster.ts";

/** What the command line of `resume` says. */
export interface ResumeOptions extends ChooseOptions {
  reason?: string;
  by?: string;
}

/** Ends the pauses of the CronJobs that are chosen; one of another person only where `by` names them. */
export async function runResume(options: ResumeOptions, clock: Clock): Promise<void> {
  await withCluster(options, "resume", async (client, { namespace }) => {
    const cronJobs = await chosenCronJobs(client, options, namespace);
    const by = await whoAmI(client);
    const now = clock.now();
    const request = { id: requestId("cli", now, by), by, of: options.by ?? by, reason: options.reason, now };
    await act(client, cronJobs, {
      fieldManager: PAUSE_MANAGER,
      plan: (cronJob) => planResume(cronJob, request),
    }, options);
  });
}
