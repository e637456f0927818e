import { ApiError, ignoreNotFound } from "../../kube/api_error.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { DeepReadonly, ObjectName } from "../../kube/object.ts";
import { type Job, JOBS } from "../../kube/resource.ts";
import { asksToComeBack } from "../../kube/retry.ts";
import type { Clock } from "../../base/clock.ts";
import type { EventRecord } from "../../runtime/event_recorder.ts";
import { BATCH } from "../api/flavour.ts";
import { freeingPatch } from "../api/name_hold.ts";
import { handOverPatch } from "../api/ownership.ts";
import { isManaged } from "../api/stewardship.ts";
import type { CronJobObject } from "../api/types.ts";
import { editCronJob } from "../edit_cron_job.ts";
import { adoptionTarget, LET_GO, releaseEdit } from "./adoption_edits.ts";
import { JobsOfNamespaces, type Preview } from "./jobs_of_namespaces.ts";
import { reconcileOnce } from "./reconcile_once.ts";

/*
 * Giving a CronJob back to kube-controller-manager.
 *
 * Flow: the CronJob is marked as being released. The controller sees that between two runs, starts nothing more, hands the
 * Jobs over, brings the status up to date, and takes all marks away in one write. Where it does not answer in time, the
 * command does the same in its place.
 *
 * Guarantees: whatever is interrupted, the CronJob says how far the release is, and another release ends it. While the
 * CronJob is marked no controller starts a run of it, so none is started twice, and none beside another that the policy
 * forbids.
 *
 * Caveats: a controller that is cut off from the API server's news for longer than the time it is given, but not from
 * the API server, may start one more run after it was done without it. kube-controller-manager won't repeat that run.
 */

const POLL_MS = 100;
/** The most attempts without the controller, which may come up after all and be in the way. */
const ATTEMPTS = 5;

export interface ReleaseMark {
  readonly outcome: "marked" | "planned" | "not adopted";
  readonly cronJob: DeepReadonly<CronJobObject>;
}

/** Marks a CronJob as being released. */
export async function markForRelease(
  jobs: JobsOfNamespaces,
  name: ObjectName,
  { dryRun, preview, clock }: { dryRun: boolean; preview: Preview; clock: Clock },
): Promise<ReleaseMark> {
  let outcome: ReleaseMark["outcome"] = "not adopted";
  const cronJob = await editCronJob(jobs.client, adoptionTarget(name), async (cronJob) => {
    if (!isManaged(cronJob)) {
      outcome = "not adopted";
      return undefined;
    }
    preview(cronJob, releaseEdit(cronJob, clock.now()), await jobs.toHandOver(cronJob, { controller: true }));
    outcome = dryRun ? "planned" : "marked";
    return dryRun ? undefined : LET_GO;
  });
  return { outcome, cronJob };
}

/**
 * Resolves once a marked CronJob is released: by its controller until `deadline`, of the monotonic clock, or else without it.
 *
 * @throws {Error} where other writes are in the way of each attempt
 */
export async function finishRelease(
  client: KubeClient,
  name: ObjectName,
  { clock, deadline, onHandOver }: { clock: Clock; deadline: number; onHandOver: (job: Job) => void },
): Promise<void> {
  const isReleased = async () => !isManaged(await client.get(BATCH.resource, name));
  while (clock.monotonic() < deadline) {
    if (await isReleased()) return;
    await clock.sleep(POLL_MS);
  }
  const warnings: string[] = [];
  const recorder = { record: ({ type, message }: EventRecord) => void (type === "Warning" && warnings.push(message)) };
  for (let attempts = 0; !await isReleased(); attempts++) {
    if (attempts === ATTEMPTS) throw new Error(warnings.at(-1) ?? "another client keeps writing it; try again");
    try {
      await reconcileOnce(name, { flavour: BATCH, client, clock, recorder });
    } catch (error) {
      if (!(error instanceof ApiError && (error.isConflict || asksToComeBack(error)))) throw error;
      await clock.sleep(error.retryAfterMs ?? POLL_MS);
    }
  }
  // A controller that has not seen the mark may have started Jobs meanwhile.
  const jobs = new JobsOfNamespaces(client), cronJob = await client.get(BATCH.resource, name);
  await handOverJobs(jobs, cronJob, onHandOver);
  for (const job of await jobs.toFree(cronJob.metadata)) await freeName(client, job);
}

/** Takes the finalizer of `neverTwice` from a Job, also before its time is over. */
export async function freeName(client: KubeClient, { metadata }: Job): Promise<void> {
  await client.patch(JOBS, metadata, freeingPatch(metadata)).catch(ignoreNotFound);
}

/** Makes Jobs that were started for a CronJob the children of kube-controller-manager, which runs it. */
export async function handOverJobs(
  jobs: JobsOfNamespaces,
  cronJob: DeepReadonly<CronJobObject>,
  onHandOver: (job: Job) => void,
): Promise<void> {
  for (const job of await jobs.toHandOver(cronJob, { controller: true })) {
    const { name, namespace } = job.metadata;
    await jobs.client.patch(JOBS, { name, namespace }, handOverPatch(job, cronJob.metadata.uid, { controller: true }));
    onHandOver(job);
  }
}
