import { PAUSE_MANAGER } from "../../actions/pause.ts";
import { planResume } from "../../actions/resume.ts";
import type { CronJob } from "../../cronjob/api/cron_job.ts";
import type { Clock } from "../../base/clock.ts";
import { act } from "../cluster/act.ts";
import type { ActOptions } from "../flags/choice.ts";
import { requestBy, withChosen } from "../cluster/with_chosen.ts";

/** The options of `resume` on the command line. */
export interface ResumeOptions extends ActOptions {
  reason?: string;
  by?: string;
}

/** Ends the pauses of the CronJobs that are chosen; one of another person only where `by` names them. */
export async function runResume(options: ResumeOptions, clock: Clock): Promise<void> {
  await withChosen(options, "resume", async (client, cronJobs) => {
    const asked = await requestBy(client, clock);
    const request = { ...asked, of: options.by ?? asked.by, reason: options.reason };
    const plan = (cronJob: CronJob) => planResume(cronJob, request);
    await act(client, cronJobs, { fieldManager: PAUSE_MANAGER, plan }, options);
  });
}
