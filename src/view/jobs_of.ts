import type { CronJob } from "../cronjob/api/cron_job.ts";
import type { Flavour } from "../cronjob/api/flavour.ts";
import { type Child, isChildOf, readJob } from "../cronjob/api/job.ts";
import type { DeepReadonly } from "../kube/object.ts";
import type { Job } from "../kube/resource.ts";

/** Finds the Jobs of each CronJob. Jobs are read as they are added, so that nothing keeps their specs. */
export class JobIndex {
  readonly #flavours: readonly Flavour[];
  readonly #byOwner = new Map<string, Child[]>();
  readonly #byUid = new Map<string, Child>();

  constructor(flavours: readonly Flavour[]) {
    this.#flavours = flavours;
  }

  add(jobs: readonly DeepReadonly<Job>[]): void {
    for (const job of jobs) {
      const child = readJob(this.#flavours, job);
      this.#byUid.set(child.metadata.uid, child);
      if (!child.owner) continue;
      this.#byOwner.getOrInsertComputed(child.owner.uid, () => []).push(child);
    }
  }

  of(cronJob: CronJob): readonly Child[] {
    return jobsOf(cronJob, this.#byOwner.get(cronJob.metadata.uid) ?? [], ({ uid = "" }) => this.#byUid.get(uid));
  }
}

/** Returns its children among the Jobs that name it, and those that its status lists as active though they no longer do. */
export function jobsOf(
  cronJob: CronJob,
  own: readonly Child[],
  find: (active: { readonly uid?: string; readonly name?: string }) => Child | undefined,
): readonly Child[] {
  const children = own.filter((child) => isChildOf(child, cronJob));
  const known = new Set(children.map(({ metadata }) => metadata.uid));
  const strays = (cronJob.status.active ?? []).filter(({ uid = "" }) => !known.has(uid)).flatMap((active) => {
    const child = find(active);
    const isMeant = child?.metadata.uid === active.uid && child?.metadata.namespace === cronJob.metadata.namespace;
    return isMeant ? child ?? [] : [];
  });
  return strays.length === 0 ? children : [...children, ...strays];
}
