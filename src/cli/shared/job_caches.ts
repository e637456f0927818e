import { type Child, readJob } from "../../cronjob/api/job.ts";
import {
  CHILD_INDEXES,
  type ChildCache,
  followChildren,
  type FollowChildrenOptions,
} from "../../cronjob/child_cache.ts";
import { JobController, type JobControllerOptions } from "../../job/controller.ts";
import { JOB_INDEXES, type JobCache, type WholeJob } from "../../job/job_cache.ts";
import { type Job, JOBS } from "../../kube/resource.ts";
import { Informer, withoutManagedFields } from "../../runtime/informer.ts";
import type { EndOf } from "../../cronjob/knowledge/knowledge.ts";
import { endOfRun } from "../../view/run_pods.ts";
import type { JobsOption } from "../flags/options.ts";

/** Returns one watch and one cache of Jobs for all controllers of this process; for Jobs where a Job controller runs here. */
export function jobCachesFor(
  { runsJobs, ...options }: FollowChildrenOptions & { readonly runsJobs: boolean },
): { readonly ofCronJobs: ChildCache; readonly ofJobs: JobCache | undefined } {
  if (!runsJobs) return { ofCronJobs: followChildren(options), ofJobs: undefined };
  // Events are never put off here: the Pods of what has started must not wait until everything has.
  const jobs = new Informer<Job, "owner" | "adopter", Child & WholeJob>({
    ...options,
    resource: JOBS,
    indexes: { ...CHILD_INDEXES, ...JOB_INDEXES },
    transform: (job) => ({
      ...readJob(options.flavours, job),
      metadata: job.metadata,
      job: withoutManagedFields(job),
    }),
  });
  return { ofCronJobs: jobs, ofJobs: jobs };
}

/** Returns the Job controller, if one is to run here, and what CronJob controllers know of Jobs. */
export function jobPartsOf(
  { flavours, mode, ...options }:
    & FollowChildrenOptions
    & Omit<JobControllerOptions, "jobs" | "mode">
    & { readonly mode: JobsOption },
) {
  const { ofCronJobs: jobs, ofJobs } = jobCachesFor({ ...options, flavours, runsJobs: mode !== "off" });
  const jobController = ofJobs && mode !== "off" ? new JobController({ ...options, mode, jobs: ofJobs }) : undefined;
  const waitOf: JobController["waitOf"] | undefined = jobController && ((job) => jobController.waitOf(job));
  const endOf: EndOf = (job, settings) => endOfRun(options.client, job, settings);
  return { jobController, known: { jobs, waitOf, endOf } };
}
