import type { KubeClient } from "../../kube/client.ts";
import type { DeepReadonly } from "../../kube/object.ts";
import { listAll } from "../../kube/paging.ts";
import { type Job, JOBS } from "../../kube/resource.ts";
import { BATCH } from "../api/flavour.ts";
import { holdsName } from "../api/name_hold.ts";
import { isControlledBy, isMadeForRun, ownerOf } from "../api/ownership.ts";
import type { CronJobEdit } from "../api/cron_job_edit.ts";
import type { CronJobObject } from "../api/types.ts";

/** The Jobs of CronJobs, listed once for each namespace. */
export class JobsOfNamespaces {
  readonly #lists = new Map<string | undefined, Promise<Job[]>>();

  constructor(readonly client: KubeClient) {}

  /** Returns Jobs whose owner reference to the CronJob is to say otherwise whether that is their controller. */
  async toHandOver({ metadata }: DeepReadonly<CronJobObject>, { controller }: { controller: boolean }): Promise<Job[]> {
    const { namespace, uid } = metadata;
    return (await this.#jobsOf(namespace)).filter((job) =>
      ownerOf(BATCH, job)?.uid === uid && isMadeForRun(BATCH, job) && isControlledBy(job, uid) !== controller
    );
  }

  /** Returns Jobs whose names `neverTwice` keeps taken: those of the CronJob, or all of a namespace. */
  async toFree({ namespace, uid }: { namespace?: string | undefined; uid?: string }): Promise<Job[]> {
    const isMeant = ({ metadata }: Job) =>
      uid === undefined || metadata.ownerReferences?.some((reference) => reference.uid === uid);
    return (await this.#jobsOf(namespace)).filter((job) => holdsName(job.metadata) && isMeant(job));
  }

  #jobsOf(namespace: string | undefined): Promise<Job[]> {
    // Their specs and status are most of the bytes.
    const named = ({ metadata }: Job) => ({ metadata }) as Job;
    const list = () => Array.fromAsync(listAll(this.client, JOBS, { namespace }), named);
    return this.#lists.getOrInsertComputed(namespace, list);
  }
}

/** The knowledge before an edit is made, for the caller to show: it may be planned several times. */
export type Preview = (
  cronJob: DeepReadonly<CronJobObject>,
  edit: CronJobEdit,
  /** That change hands with it. */
  jobs: readonly Job[],
) => void;
