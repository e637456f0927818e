import { LET_GO, releaseEdit } from "../cronjob/adoption/adoption_edits.ts";
import { BATCH } from "../cronjob/api/flavour.ts";
import { reconcileOnce } from "../cronjob/adoption/reconcile_once.ts";
import { handOverPatch } from "../cronjob/api/ownership.ts";
import { isManaged } from "../cronjob/api/stewardship.ts";
import type { CronJobObject } from "../cronjob/api/types.ts";
import { ApiError } from "../kube/api_error.ts";
import type { KubeClient, ObjectName } from "../kube/client.ts";
import { keyOf } from "../kube/object.ts";
import { asksToComeBack } from "../kube/retry.ts";
import { JOBS } from "../kube/resource.ts";
import { type Clock, SystemClock } from "../runtime/clock.ts";
import type { EventRecord } from "../runtime/event_recorder.ts";
import { attempt, diffOf, edit, JobsOfNamespaces, printer, withCronJobs } from "./cronjob_edits.ts";
import type { ReleaseOptions } from "./release.ts";

const POLL_MS = 100;
/** How often it is done without the controller, should that come up after all and be in the way. */
const ATTEMPTS = 5;

/**
 * Gives the CronJobs that are meant back to kube-controller-manager.
 *
 * Flow: each is marked as being released. The controller sees that between two runs, starts nothing more, hands the Jobs
 * over, brings the status up to date, and takes all marks away in one write. Where it does not answer in time, this
 * command does the same in its place.
 *
 * Guarantees: whatever is interrupted, the CronJob tells how far it is, and the same command again ends it. While it is
 * marked nobody starts a run of it, so none is started twice, and none beside another that the policy forbids.
 *
 * Caveats: a controller that is cut off from the API server's news for longer than the timeout, but not from the API
 * server, may start one more run after it was done without it. kube-controller-manager won't repeat that run.
 */
export async function runRelease(options: ReleaseOptions): Promise<void> {
  const clock = new SystemClock();
  await withCronJobs(options, async (client, names) => {
    const jobs = new JobsOfNamespaces(client);
    const marked: ObjectName[] = [];
    for (const name of names) {
      if (await attempt("release", name, () => mark(jobs, name, options))) marked.push(name);
    }
    // For all of them together: the controller works on all at the same time.
    const deadline = clock.monotonic() + options.timeout * 1000;
    for (const name of marked) {
      const isDone = await attempt("release", name, async () => {
        await finish(client, name, { clock, deadline });
        return true;
      });
      if (isDone) console.log(`Released CronJob ${keyOf({ metadata: name })}`);
    }
  });
}

/** Whether it is marked now. */
async function mark(jobs: JobsOfNamespaces, name: ObjectName, { dryRun }: ReleaseOptions): Promise<boolean> {
  const print = printer();
  const cronJob = await edit(jobs.client, name, async (cronJob) => {
    const given = await jobs.toHandOver(cronJob, { controller: true });
    if (!isManaged(cronJob)) {
      console.log(`CronJob ${keyOf(cronJob)} is not adopted`);
      if (!dryRun) await handOver(jobs, cronJob);
      return undefined;
    }
    print(diffOf(cronJob, releaseEdit(cronJob), { became: "released", jobs: given }));
    return dryRun ? undefined : LET_GO;
  });
  return isManaged(cronJob) && !dryRun;
}

async function finish(
  client: KubeClient,
  name: ObjectName,
  { clock, deadline }: { clock: Clock; deadline: number },
): Promise<void> {
  const isReleased = async () => !isManaged(await client.get(BATCH.resource, name));
  while (clock.monotonic() < deadline) {
    if (await isReleased()) return;
    await clock.sleep(POLL_MS);
  }
  const warnings: string[] = [];
  const recorder = { record: ({ type, message }: EventRecord) => void (type === "Warning" && warnings.push(message)) };
  for (let attempts = 1; !await isReleased(); attempts++) {
    try {
      await reconcileOnce(name, { flavour: BATCH, client, clock, recorder });
    } catch (error) {
      if (!(error instanceof ApiError && (error.isConflict || asksToComeBack(error)))) throw error;
      await clock.sleep(error.retryAfterMs ?? POLL_MS);
    }
    if (attempts === ATTEMPTS) throw new Error(warnings.at(-1) ?? "somebody else keeps writing it; try again");
  }
  // What a controller that has not heard of it may have started meanwhile.
  await handOver(new JobsOfNamespaces(client), await client.get(BATCH.resource, name));
}

/** Makes Jobs that were started for a CronJob the children of kube-controller-manager, which runs it. */
async function handOver(jobs: JobsOfNamespaces, cronJob: CronJobObject): Promise<void> {
  for (const job of await jobs.toHandOver(cronJob, { controller: true })) {
    const { name, namespace } = job.metadata;
    await jobs.client.patch(JOBS, { name, namespace }, handOverPatch(job, cronJob.metadata.uid, { controller: true }));
    console.log(`Handed over Job ${keyOf(job)}`);
  }
}
