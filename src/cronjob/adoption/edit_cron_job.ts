import { ApiError } from "../../kube/api_error.ts";
import type { KubeClient, ObjectName } from "../../kube/client.ts";
import type { DeepReadonly } from "../../kube/object.ts";
import { listAll } from "../../kube/paging.ts";
import { type Job, JOBS } from "../../kube/resource.ts";
import { BATCH } from "../api/flavour.ts";
import { isControlledBy, isMadeForRun, ownerOf } from "../api/ownership.ts";
import type { CronJobObject } from "../api/types.ts";
import type { CronJobEdit } from "./adoption_edits.ts";

/** How often an edit is made anew when somebody else wrote first. */
const ATTEMPTS = 5;
/** Another than the controller's, so that it can be seen when somebody last wrote `spec.suspend`. */
const FIELD_MANAGER = "cronjob-controller-adoption";

/**
 * Reads a CronJob and makes the edit that `plan` wants of it, in one write that is refused if the CronJob has changed
 * meanwhile; then it is read and planned anew.
 *
 * @param plan gives undefined where nothing is to be written; throws where it must not be
 */
export async function editCronJob(
  client: KubeClient,
  name: ObjectName,
  plan: (cronJob: CronJobObject) => CronJobEdit | undefined | Promise<CronJobEdit | undefined>,
): Promise<CronJobObject> {
  for (let attempts = 1;; attempts++) {
    const cronJob = await client.get(BATCH.resource, name);
    const wanted = await plan(cronJob);
    if (wanted === undefined) return cronJob;
    const { uid, resourceVersion } = cronJob.metadata;
    const body = { metadata: { uid, resourceVersion, annotations: wanted.annotations }, spec: wanted.spec };
    try {
      return await client.patch(BATCH.resource, name, { type: "merge", body }, { fieldManager: FIELD_MANAGER });
    } catch (error) {
      if (attempts === ATTEMPTS || !(error instanceof ApiError && error.isConflict)) throw error;
    }
  }
}

/** The Jobs of CronJobs, listed once for each namespace. */
export class JobsOfNamespaces {
  readonly #lists = new Map<string | undefined, Promise<Job[]>>();

  constructor(readonly client: KubeClient) {}

  /** Those whose owner reference to the CronJob is to say otherwise whether that is their controller. */
  async toHandOver({ metadata }: DeepReadonly<CronJobObject>, { controller }: { controller: boolean }): Promise<Job[]> {
    const { namespace, uid } = metadata;
    let list = this.#lists.get(namespace);
    if (!list) {
      // Their specs and status are most of the bytes.
      const named = ({ metadata }: Job) => ({ metadata }) as Job;
      list = Array.fromAsync(listAll(this.client, JOBS, { namespace }), named);
      this.#lists.set(namespace, list);
    }
    return (await list).filter((job) =>
      ownerOf(BATCH, job)?.uid === uid && isMadeForRun(BATCH, job) && isControlledBy(job, uid) !== controller
    );
  }
}

/** What is known before an edit is made, for whoever wants to see it: it may be planned several times. */
export type Preview = (
  cronJob: DeepReadonly<CronJobObject>,
  edit: CronJobEdit,
  /** That change hands with it. */
  jobs: readonly Job[],
) => void;
