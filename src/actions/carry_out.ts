import { readCronJob, withType } from "../cronjob/api/read_cron_job.ts";
import type { CronJob } from "../cronjob/api/cron_job.ts";
import type { CronJobObject } from "../cronjob/api/types.ts";
import { editCronJob } from "../cronjob/edit_cron_job.ts";
import { ApiError } from "../kube/api_error.ts";
import type { KubeClient } from "../kube/client.ts";
import { JOBS } from "../kube/resource.ts";
import { messageOf } from "../telemetry/message_of.ts";
import type { ActionPlan, CronJobAction, Outcome } from "./action.ts";

/**
 * Carries an action out on CronJobs that have just been read, one after the other. A broken connection stops the rest, any
 * other failure does not. Each CronJob has an outcome all the same.
 *
 * @throws {Error} naming the CronJobs whose plans are refused, before anything is changed
 */
export async function* carryOut(
  client: KubeClient,
  cronJobs: readonly CronJob[],
  action: CronJobAction,
  { dryRun }: { dryRun: boolean },
): AsyncGenerator<Outcome> {
  let isCutOff = false;
  for (const { cronJob, plan } of plansOf(cronJobs, action)) {
    if (isCutOff) {
      yield { cronJob, result: "failed", message: "not tried, as the connection broke" };
      continue;
    }
    try {
      yield dryRun ? outcomeOf(cronJob, plan) : await carryOutOne(client, cronJob, plan, action);
    } catch (error) {
      isCutOff = !(error instanceof ApiError);
      yield { cronJob, result: "failed", message: whyFailed(cronJob, error) };
    }
  }
}

/** Returns the plan of each CronJob. @throws {Error} naming those that are refused: nothing is done to the others either */
export function plansOf(cronJobs: readonly CronJob[], { plan }: Pick<CronJobAction, "plan">) {
  const plans = cronJobs.map((cronJob) => ({ cronJob, plan: plan(cronJob) }));
  const refused = plans.flatMap(({ cronJob: { metadata }, plan }) =>
    plan.kind === "refused" ? [`${metadata.name}: ${plan.message}`] : []
  );
  if (refused.length === 0) return plans;
  const remedy = refused.length < plans.length ? ". Name the others, or choose them by -l" : "";
  throw new Error(`Nothing was changed: ${refused.join("; ")}${remedy}`);
}

function whyFailed({ flavour: { resource }, metadata: { name } }: CronJob, error: unknown): string {
  if (!(error instanceof ApiError)) return `it is not known whether it was done: ${messageOf(error)}`;
  const { name: about, kind } = error.status?.details ?? {};
  // A 404 about another object is about the namespace.
  return error.isNotFound && about === name && kind === resource.plural ? "it is gone" : error.message;
}

async function carryOutOne(
  client: KubeClient,
  cronJob: CronJob,
  plan: ActionPlan,
  action: CronJobAction,
): Promise<Outcome> {
  if (plan.kind === "create") {
    const { metadata } = await client.create(JOBS, plan.job);
    return { cronJob, result: "done", message: plan.message, job: metadata.name };
  }
  return plan.kind === "edit" ? await edit(client, cronJob, action) : outcomeOf(cronJob, plan);
}

async function edit(client: KubeClient, seen: CronJob, { fieldManager, plan }: CronJobAction): Promise<Outcome> {
  const { flavour, metadata: { namespace, name, uid } } = seen;
  let outcome: Outcome | undefined;
  await editCronJob(client, { resource: flavour.resource, namespace, name, fieldManager }, (object) => {
    if (object.metadata.uid !== uid) {
      outcome = { cronJob: seen, result: "failed", message: "it was deleted, and another of its name is there" };
      return undefined;
    }
    const cronJob = readCronJob(flavour, withType(flavour, object as CronJobObject));
    const planned = plan(cronJob);
    outcome = outcomeOf(cronJob, planned);
    return planned.kind === "edit" ? planned.edit : undefined;
  }, seen.object);
  return outcome!;
}

/** The results of plans. A plan is `refused` here only where another client wrote after all plans were made. */
const RESULTS = { edit: "done", create: "done", unchanged: "unchanged", left: "left", refused: "failed" } as const;

/** Returns the outcome of a plan that is carried out without a failure. */
function outcomeOf(cronJob: CronJob, plan: ActionPlan): Outcome {
  const outcome = { cronJob, result: RESULTS[plan.kind], message: plan.message };
  return plan.kind === "edit" ? { ...outcome, job: plan.job } : outcome;
}
