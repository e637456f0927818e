import type { CronJob } from "../cronjob/api/cron_job.ts";
import type { Flavour } from "../cronjob/api/flavour.ts";
import { type Child, isChildOf, readJob } from "../cronjob/api/job.ts";
import type { DeepReadonly } from "../kube/object.ts";
import type { Job } from "../kube/resource.ts";

/** Finds the Jobs of each CronJob of one flavour. */
export class JobIndex {
  readonly #byOwner: ReadonlyMap<string, readonly Child[]>;
  readonly #byUid: ReadonlyMap<string, DeepReadonly<Job>>;
  readonly #flavour: Flavour;

  constructor(flavour: Flavour, jobs: readonly DeepReadonly<Job>[]) {
    this.#flavour = flavour;
    const byOwner = new Map<string, Child[]>();
    for (const job of jobs) {
      if (!job.metadata.ownerReferences?.some(({ kind }) => kind === flavour.resource.kind)) continue;
      const child = readJob(flavour, job);
      if (!child.owner) continue;
      const own = byOwner.get(child.owner.uid);
      if (own) own.push(child);
      else byOwner.set(child.owner.uid, [child]);
    }
    this.#byOwner = byOwner;
    this.#byUid = new Map(jobs.map((job) => [job.metadata.uid, job]));
  }

  /** Its children, and those that its status lists as active though they no longer name it. */
  of(cronJob: CronJob): readonly Child[] {
    const own = (this.#byOwner.get(cronJob.metadata.uid) ?? []).filter((child) => isChildOf(child, cronJob));
    const known = new Set(own.map(({ metadata }) => metadata.uid));
    const strays = (cronJob.status.active ?? []).flatMap(({ uid = "" }) => {
      const job = known.has(uid) ? undefined : this.#byUid.get(uid);
      return job && job.metadata.namespace === cronJob.metadata.namespace ? [readJob(this.#flavour, job)] : [];
    });
    return strays.length === 0 ? own : [...own, ...strays];
  }
}
