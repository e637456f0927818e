import type { CronJob } from "../cronjob/api/cron_job.ts";
import type { RunView } from "../view/cron_job_view.ts";
import { runsOf } from "../view/runs.ts";

/** A run that a user has asked for. */
export interface AskedRun {
  readonly cronJob: CronJob;
  readonly job: string;
  readonly trigger: string;
}

/** Returns why there will be no Job of a run that has none; undefined where one may still come. */
export function whyNoJob(cronJob: CronJob, { trigger }: Pick<AskedRun, "trigger">): string | undefined {
  const { requestedTrigger, answeredTrigger } = cronJob;
  if (answeredTrigger === trigger) return refusalOf(cronJob);
  if (requestedTrigger === undefined) return "its Job, or the request for it, is gone";
  return requestedTrigger === trigger ? undefined : `another trigger (${requestedTrigger}) took its place`;
}

/** Of all policies only Forbid, and Allow with a limit, refuse a run by hand. */
function refusalOf({ settings: { policy, maxActive } }: CronJob): string {
  if (policy === "Forbid") return "concurrencyPolicy Forbid, and another run is active";
  return policy === "Allow" && maxActive !== Infinity
    ? `as many runs as maxConcurrentRuns allows, ${maxActive}, are active`
    : "its Job is gone already";
}

/** Returns the record of a run that has started, in the CronJob's status; its Job may be gone. */
export function recordOf(cronJob: CronJob, { job }: Pick<AskedRun, "job">): RunView | undefined {
  return runsOf(cronJob, [], () => false).find((run) => run.job === job && run.outcome !== "Skipped");
}
