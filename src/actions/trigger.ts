import { TRIGGER } from "../cronjob/api/annotations.ts";
import type { CronJob } from "../cronjob/api/cron_job.ts";
import { triggeredJobName } from "../cronjob/api/job_name.ts";
import { find } from "../cronjob/decision/find.ts";
import type { EpochMs } from "../base/epoch_ms.ts";
import type { ActionPlan } from "./action.ts";
import { jobByHand, type JobChanges, losesArguments } from "./job_by_hand.ts";
import { asRun, type Controllers, readsAnnotations, UNSEEN } from "../view/runner.ts";

export const TRIGGER_MANAGER = "cronjob-controller-trigger";

export interface TriggerRequest {
  /** Identifies the request: sent again under the same id, it starts no second run. */
  readonly id: string;
  readonly now: EpochMs;
  /** The differences of this run from the template. */
  readonly changes: JobChanges;
  /** The known controllers of CronJobs. @default none */
  readonly controllers?: Controllers;
  /** Whether the run starts beside active ones, whatever the policy says; the page alone asks so. @default {false} */
  readonly isBeside?: boolean;
}

const ARGUMENTS_LOST =
  'arguments would be lost, as its command is a shell\'s -c string that reads none: write "$@" into the string where they ' +
  "belong, or give a variable by --set NAME=VALUE";

/**
 * Plans a run by hand. A controller that reads annotations is asked for the run, and starts it once, as the policy allows.
 * The Job is created as by kubectl where kube-controller-manager runs the CronJob, and for a run beside active ones or with
 * changes, since a request has no place for either.
 */
export function planTrigger(
  found: CronJob,
  { id, now, changes, controllers = UNSEEN, isBeside = false }: TriggerRequest,
): ActionPlan {
  const { cronJob, runner } = asRun(found, controllers, now);
  const { block } = find({ cronJob, jobs: [], now });
  if (block?.isTotal) return { kind: "left", message: `left as it is: ${block.message}` };
  if (changes.args.length > 0 && losesArguments(cronJob)) return { kind: "refused", message: ARGUMENTS_LOST };
  if (isBeside || changes.args.length > 0 || changes.env.length > 0 || !readsAnnotations(runner)) {
    return { kind: "create", job: jobByHand(cronJob, { id, now, changes }), message: "Job created" };
  }
  const { requestedTrigger, answeredTrigger } = cronJob;
  if (requestedTrigger && requestedTrigger !== answeredTrigger && requestedTrigger !== id) {
    return { kind: "left", message: `left as it is: no controller has answered the request ${requestedTrigger} yet` };
  }
  return {
    kind: "edit",
    edit: { annotations: { [TRIGGER]: id } },
    message: `asked for a run (trigger ${id})${runner.by === "none" ? `; ${runner.why}` : ""}`,
    job: triggeredJobName({ name: cronJob.metadata.name, uid: cronJob.metadata.uid }, id),
  };
}
