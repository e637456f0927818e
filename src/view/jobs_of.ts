import type { CronJob } from "../cronjob/api/cron_job.ts";
import { FLAVOURS } from "../cronjob/api/flavour.ts";
import { type Child, isChildOf, readJob } from "../cronjob/api/job.ts";
import type { DeepReadonly } from "../kube/object.ts";
import type { Job } from "../kube/resource.ts";

/** Finds the Jobs of each CronJob. Jobs are read as they are added, so that nothing keeps their specs. */
export class JobIndex {
  readonly #byOwner = new Map<string, Child[]>();
  readonly #byUid = new Map<string, Child>();

  add(jobs: readonly DeepReadonly<Job>[]): void {
    for (const job of jobs) {
      const child = readJob(FLAVOURS, job);
      this.#byUid.set(child.metadata.uid, child);
      if (!child.owner) continue;
      this.#byOwner.getOrInsertComputed(child.owner.uid, () => []).push(child);
    }
  }

  of(cronJob: CronJob): readonly Child[] {
    return jobsOf(cronJob, this.#byOwner.get(cronJob.metadata.uid) ?? [], ({ uid = "" }) => this.#byUid.get(uid));
  }
}

/** Returns a CronJob's children among the Jobs that it owns, and the active ones of its status that it owns no more. */
export function jobsOf(
  cronJob: CronJob,
  owned: readonly Child[],
  find: (active: { readonly uid?: string; readonly name?: string }) => Child | undefined,
): readonly Child[] {
  const children = owned.filter((child) => isChildOf(child, cronJob));
  const known = new Set(children.map(({ metadata }) => metadata.uid));
  const strays = (cronJob.status.active ?? []).filter(({ uid = "" }) => !known.has(uid)).flatMap((active) => {
    const child = find(active);
    if (!child || child.metadata.uid !== active.uid) return [];
    return child.metadata.namespace === cronJob.metadata.namespace ? [child] : [];
  });
  return strays.length === 0 ? children : [...children, ...strays];
}
