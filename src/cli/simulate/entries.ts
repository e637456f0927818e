import type { CronJob } from "../../cronjob/api/cron_job.ts";
import type { EpochMs } from "../../base/epoch_ms.ts";
import { applied, asNew } from "../../simulate/apply.ts";
import type { Entry, Member } from "../../simulate/fleet.ts";
import type { Durations } from "../../simulate/report.ts";
import { requestsOfJob } from "../../simulate/requests.ts";
import type { InitialState } from "../../simulate/simulated_controller.ts";
import { asRun, type Controllers, readsAnnotations, runnerOf } from "../../view/runner.ts";
import { durationOf } from "./durations.ts";
import { type Found, idOf } from "./gather.ts";

export interface EntriesOptions {
  readonly durations: Durations;
  /** Where the simulation begins, and whether CronJobs are then as they are now. */
  readonly begin: EpochMs;
  readonly isNow: boolean;
  readonly controllers: Controllers;
}

/** Puts the CronJobs of a cluster and those of manifests together. */
export function entriesOf(found: readonly Found[], manifests: readonly CronJob[], options: EntriesOptions): Entry[] {
  const asked = new Map(manifests.map((cronJob) => [idOf(cronJob), cronJob]));
  const there = found.map((one): Entry => {
    const id = idOf(one.cronJob);
    const manifest = asked.get(id);
    asked.delete(id);
    const before = memberOf(one, one.durations, options);
    const [change, notes] = manifest ? appliedAsRun(one.cronJob, manifest, options) : [undefined, []];
    if (change?.change !== "Changed") return { change: "Unchanged", before, after: before, notes };
    return { change: "Changed", before, after: memberOf({ ...one, ...change }, one.durations, options), notes };
  });
  const fresh = [...asked.values()].map((manifest): Entry => {
    const { cronJob, notes } = asRun(manifest, options.controllers, options.begin);
    return { change: "New", before: undefined, after: memberOf({ cronJob, jobs: [] }, undefined, options), notes };
  });
  return [...there, ...fresh];
}

/**
 * Returns what a manifest makes of a CronJob, and the notes. A CronJob may be adopted in the cluster alone, so the result
 * shows whether annotations count.
 */
function appliedAsRun(
  before: CronJob,
  manifest: CronJob,
  { controllers, begin }: EntriesOptions,
): [ReturnType<typeof applied>, readonly string[]] {
  const change = applied(before, manifest, begin);
  const { runner, notes } = asRun(change.cronJob, controllers, begin);
  if (readsAnnotations(runner)) return [change, notes];
  return [applied(before, asRun(manifest, controllers, begin).cronJob, begin), notes];
}

function memberOf(
  { cronJob, jobs, facts }: InitialState,
  measured: Found["durations"],
  { durations, begin, isNow, controllers }: EntriesOptions,
): Member {
  return {
    readsAnnotations: readsAnnotations(runnerOf(cronJob, controllers, begin)),
    ...(isNow ? { cronJob, jobs, facts } : { cronJob: asNew(cronJob, begin), jobs: [] }),
    ...durationOf(cronJob, measured, durations),
    requests: requestsOfJob(cronJob.object.spec.jobTemplate),
  };
}
