import type { ActionPlan } from "../../actions/action.ts";
import { type AskedRun, recordOf, whyNoJob } from "../../actions/asked_run.ts";
import { planTrigger, TRIGGER_MANAGER, type TriggerRequest } from "../../actions/trigger.ts";
import type { CronJob } from "../../cronjob/api/cron_job.ts";
import { FLAVOURS } from "../../cronjob/api/flavour.ts";
import { type Child, isChildOf, readJob } from "../../cronjob/api/job.ts";
import { admit } from "../../cronjob/decision/admission.ts";
import { ApiError, ignoreNotFound } from "../../kube/api_error.ts";
import type { KubeClient } from "../../kube/client.ts";
import { JOBS } from "../../kube/resource.ts";
import { distanceOf } from "../../view/times.ts";
import { carrying } from "./carrying.ts";
import { deleteJob } from "./delete_job.ts";
import type { ActionResult, AskedRunAnswer } from "../wire.ts";

/** The treatment of active runs that the policy would have a run wait for, or be skipped for. */
export const OVERLAPS = ["ask", "delete", "beside"] as const;
export type Overlap = typeof OVERLAPS[number];

type Done = Omit<ActionResult, "target">;

export interface RunRequest extends Omit<TriggerRequest, "isBeside" | "changes"> {
  readonly overlap: Overlap;
  /** The Jobs that the visitor was shown: no other is deleted. */
  readonly shown: readonly string[];
}

/** Starts a run by hand; where active runs hold it back, only as `overlap` says. */
export async function runNow(
  client: KubeClient,
  cronJob: CronJob,
  { overlap, shown, ...request }: RunRequest,
): Promise<Done> {
  const changes = { args: [], env: [] };
  const planFor = (isBeside: boolean) => (cronJob: CronJob) => planTrigger(cronJob, { ...request, changes, isBeside });
  const isAsked = overlap !== "beside" && planFor(false)(cronJob).kind === "edit";
  const holders = isAsked ? await holdersOf(client, cronJob) : [];
  const names = holders.map(({ metadata: { name } }) => name);
  if (names.length > 0 && (overlap === "ask" || names.some((name) => !shown.includes(name)))) {
    return heldBy(holders, cronJob, request.now);
  }
  const isBeside = overlap === "beside" || names.length > 0;
  const action = { fieldManager: TRIGGER_MANAGER, plan: planFor(isBeside) };
  // Nothing is deleted for a run that the API server would refuse.
  const refused = names.length > 0 ? await refusalOf(client, action.plan(cronJob)) : undefined;
  if (refused) return refused;
  for (const name of names) {
    const deleted = await deleteJob(client, cronJob, name);
    if (deleted.result === "failed") return deleted;
  }
  const done = await carrying(client, action)(cronJob);
  return isAsked && !isBeside && done.result === "done" ? { ...done, trigger: request.id } : done;
}

/** Returns what the API server says against the Job of a plan, which is not stored. */
async function refusalOf(client: KubeClient, plan: ActionPlan): Promise<Done | undefined> {
  if (plan.kind !== "create") return undefined;
  try {
    await client.create(JOBS, plan.job, { dryRun: true });
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { result: "failed", message: error.message };
  }
}

/** Returns the active runs for which the policy would skip a run by hand, or let it wait; the oldest first. */
async function holdersOf(client: KubeClient, cronJob: CronJob): Promise<readonly Child[]> {
  const { settings, status: { active = [] }, metadata: { namespace } } = cronJob;
  if (active.length < settings.maxActive) return [];
  const jobs = await Promise.all(
    active.map(({ name = "" }) => client.get(JOBS, { namespace, name }).catch(ignoreNotFound)),
  );
  const children = jobs.flatMap((job) => job ? [readJob(FLAVOURS, job)] : []).filter((child) =>
    child.state === "active" && isChildOf(child, cronJob)
  ).sort((a, b) => (a.createdAt ?? 0) - (b.createdAt ?? 0));
  return admit(settings, children).kind === "start" ? [] : children;
}

function heldBy(holders: readonly Child[], { settings }: CronJob, now: number): Done {
  const [{ metadata: { name }, createdAt = now }] = holders as [Child];
  const others = holders.length === 1 ? "" : ` and ${holders.length - 1} more`;
  const policy = settings.policy === "Allow" ? `maxConcurrentRuns ${settings.maxActive}` : settings.policy;
  return {
    result: "left",
    message: `${policy}: ${name}${others} has been running for ${distanceOf(createdAt, now)}`,
    heldBy: holders.map(({ metadata: { name: job } }) => ({ job })),
  };
}

/** Returns what has come of a run that was asked for by a trigger. */
export async function askedRunOf(
  client: KubeClient,
  { cronJob, job, trigger }: AskedRun,
): Promise<AskedRunAnswer> {
  const { namespace } = cronJob.metadata;
  const found = await client.get(JOBS, { namespace, name: job }).catch(ignoreNotFound);
  if (found || recordOf(cronJob, { job })) return { became: "started", job };
  const why = whyNoJob(cronJob, { trigger });
  return why === undefined ? { became: "waits" } : { became: "skipped", message: why };
}
