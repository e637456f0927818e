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

  /** Its children, and those that its status lists as active though they no longer name it. */
  of(cronJob: CronJob): readonly Child[] {
    const own = (this.#byOwner.get(cronJob.metadata.uid) ?? []).filter((child) => isChildOf(child, cronJob));
    const known = new Set(own.map(({ metadata }) => metadata.uid));
    const strays = (cronJob.status.active ?? []).flatMap(({ uid = "" }) => {
      const child = known.has(uid) ? undefined : this.#byUid.get(uid);
      return child && child.metadata.namespace === cronJob.metadata.namespace ? [child] : [];
    });
    return strays.length === 0 ? own : [...own, ...strays];
  }
}
