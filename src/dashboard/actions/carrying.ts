import type { CronJobAction, Outcome } from "../../actions/action.ts";
import { carryOut } from "../../actions/carry_out.ts";
import type { CronJob } from "../../cronjob/api/cron_job.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { ActionResult } from "../wire.ts";

/** Returns a function that carries an action out on one CronJob; what cannot be done to it is a result. */
export function carrying(
  client: KubeClient,
  action: CronJobAction,
): (cronJob: CronJob) => Promise<Omit<ActionResult, "target">> {
  return async (cronJob) => {
    const planned = action.plan(cronJob);
    if (planned.kind === "refused") return { result: "failed", message: planned.message };
    const [outcome]: Outcome[] = await Array.fromAsync(carryOut(client, [cronJob], action, { dryRun: false }));
    const { result, message, job } = outcome!;
    return { result, message, job };
  };
}
