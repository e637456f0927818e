import type { CronJob } from "../../cronjob/api/cron_job.ts";
import type { EpochMs } from "../../schedule/epoch_ms.ts";
import { applied } from "../../simulate/apply.ts";
import { asNew } from "../../simulate/as_new.ts";
import type { Entry, Member } from "../../simulate/fleet.ts";
import { requestsOfJob } from "../../simulate/requests.ts";
import type { InitialState } from "../../simulate/simulated_controller.ts";
import { durationOf, type Durations } from "./durations.ts";
import { type Found, idOf } from "./gather.ts";

export interface EntriesOptions {
  readonly durations: Durations;
  /** Where the simulation begins, and whether CronJobs are then as they are now. */
  readonly begin: EpochMs;
  readonly isNow: boolean;
}

/** Puts the CronJobs of a cluster and those of manifests together. */
export function entriesOf(found: readonly Found[], manifests: readonly CronJob[], options: EntriesOptions): Entry[] {
  const asked = new Map(manifests.map((cronJob) => [idOf(cronJob), cronJob]));
  const there = found.map((one): Entry => {
    const id = idOf(one.cronJob);
    const manifest = asked.get(id);
    asked.delete(id);
    const before = memberOf(one, one.durations, options);
    const change = manifest && applied(one.cronJob, manifest, options.begin);
    if (change === undefined || change.change === "Unchanged") return { change: "Unchanged", before, after: before };
    return { change: "Changed", before, after: memberOf({ ...one, ...change }, one.durations, options) };
  });
  const fresh = [...asked.values()].map((cronJob): Entry => {
    return { change: "New", before: undefined, after: memberOf({ cronJob, jobs: [] }, undefined, options) };
  });
  return [...there, ...fresh];
}

function memberOf(
  { cronJob, jobs, facts }: InitialState,
  measured: Found["durations"],
  { durations, begin, isNow }: EntriesOptions,
): Member {
  return {
    ...(isNow ? { cronJob, jobs, facts } : { cronJob: asNew(cronJob, begin), jobs: [] }),
    ...durationOf(cronJob, measured, durations),
    requests: requestsOfJob(cronJob.object.spec.jobTemplate),
  };
}
