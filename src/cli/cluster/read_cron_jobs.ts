import type { CronJob } from "../../cronjob/api/cron_job.ts";
import { FLAVOURS } from "../../cronjob/api/flavour.ts";
import { isChildOf, readJob } from "../../cronjob/api/job.ts";
import { scheduledJobName } from "../../cronjob/api/job_name.ts";
import type { KubeClient } from "../../kube/client.ts";
import { keyOf, makeKey } from "../../kube/object.ts";
import { firstLineOf } from "../../telemetry/message_of.ts";
import type { EpochMs } from "../../base/epoch_ms.ts";
import type { CronJobView } from "../../view/cron_job_view.ts";
import type { JobIndex } from "../../view/jobs_of.ts";
import { asRun, type Controllers } from "../../view/runner.ts";
import { lookAt, type ViewInput } from "../../view/look.ts";
import { viewOf } from "../../view/view_of.ts";
import { ClusterReader, NoCronJobError } from "./cluster_reader.ts";
import { formerCronJobs } from "./former_cron_jobs.ts";
import { MAX_RUNS, type RunsAsked } from "../../view/kept_runs.ts";
import { type HistoryServer, keptRuns } from "./kept_history.ts";
import type { ClusterPlace } from "./with_cluster.ts";
import type { Complaints } from "../print/complain.ts";

/** A CronJob with all that was read of it. */
export interface Seen {
  readonly input: ViewInput;
  readonly view: CronJobView;
}

/** How much is to be read. */
export interface ReadOptions {
  readonly now: EpochMs;
  readonly controllers: Controllers;
  /**
   * The CronJobs that are read in full. Of the others, Jobs that succeeded are not read: there are thousands, and their CronJobs say
   * when the last one did.
   *
   * @default all
   */
  readonly closely?: ((view: CronJobView, count: number) => boolean) | undefined;
  /** The server that remembers the runs of CronJobs that fail. */
  readonly history?: HistoryServer | undefined;
  /**
   * Whether Pods are read of every failed run, and not only of what is failing now.
   *
   * @default false
   */
  readonly allFailures?: boolean;
}

/**
 * Reads CronJobs of all flavours and sees each. Pods are read only where they say more than the Jobs do.
 *
 * @throws {Error} naming what may not be read, if it is nothing that a view can do without
 */
export async function readCronJobs(
  reader: ClusterReader,
  { now, controllers, closely, history, allFailures = false }: ReadOptions,
): Promise<Seen[]> {
  // All at once: each takes a while where there are thousands.
  const [jobs, events, found] = await Promise.all([
    reader.jobs({ unsuccessful: closely !== undefined }),
    reader.warnings("CronJob"),
    reader.cronJobs(),
  ]);
  const eventsOf = events && Map.groupBy(events, ({ regardingUid }) => regardingUid);
  const seeAll = (jobs: JobIndex) =>
    seeEach(
      found.map((cronJob) => {
        const events = eventsOf && (eventsOf.get(cronJob.metadata.uid) ?? []);
        return { ...asRun(cronJob, controllers, now), jobs: jobs.of(cronJob), events, now };
      }),
      reader.complaints,
    );
  let seen = seeAll(jobs);
  if (closely !== undefined) {
    const isClose = ({ view, input }: Seen) => closely(view, seen.length) || isJudged(input.cronJob);
    const close = new Set(seen.filter(isClose).map(({ input }) => input.cronJob));
    if (close.size > CLOSE || found.some(hasSeveralPods)) seen = seeAll(await reader.jobs());
    else {
      seen = await lookCloser(seen, ({ input }) => close.has(input.cronJob), reader);
      seen = await withPods(seen, reader, allFailures);
      // Pods may show that a CronJob needs a closer look.
      const more = new Set(seen.filter((one) => isClose(one) && !close.has(one.input.cronJob)));
      if (more.size <= CLOSE) {
        return await withKeptFailures(await lookCloser(seen, (one) => more.has(one), reader), history);
      }
      seen = seeAll(await reader.jobs());
    }
  }
  return await withKeptFailures(await withPods(seen, reader, allFailures), history);
}

/** Sees each CronJob that this version understands. The others are named on stderr. */
function seeEach(inputs: readonly ViewInput[], complaints: Complaints): Seen[] {
  return inputs.flatMap((input) => {
    try {
      return [seenOf(input)];
    } catch (error) {
      complaints.once(notUnderstood(input.cronJob, error).message);
      return [];
    }
  });
}

/** Counts failures whose Jobs are gone. */
async function withKeptFailures(seen: readonly Seen[], history: HistoryServer | undefined): Promise<Seen[]> {
  if (history === undefined) return [...seen];
  return await Promise.all(seen.map(async (one) => {
    const { view: { state, failuresInARow }, input } = one;
    if (state !== "Failing" || !failuresInARow.atLeast) return one;
    return seenOf({ ...input, kept: await keptRuns(history, { cronJobs: [keyOf(input.cronJob)] }) });
  }));
}

/** For more than these it is sooner to read all Jobs than to ask for single ones. */
const CLOSE = 200;

/** Returns whether a Job of it may have Pods that succeeded before it has ended. */
function hasSeveralPods({ object }: CronJob): boolean {
  const { completions, parallelism } = object.spec.jobTemplate?.spec ?? {};
  return (completions ?? parallelism ?? 1) > 1;
}

/** Returns whether more is expected of its runs than a success, which its status dates. */
function isJudged({ settings: { expect = {} } }: CronJob): boolean {
  return Object.keys(expect).some((name) => name !== "succeededWithinSeconds");
}

/** Reads the Jobs of the last times of those that are close by their names. */
async function lookCloser(
  seen: readonly Seen[],
  isClose: (one: Seen) => boolean,
  reader: ClusterReader,
): Promise<Seen[]> {
  return await Promise.all(seen.map(async (one) => {
    if (!isClose(one)) return one;
    const { cronJob, jobs } = one.input;
    const { namespace } = cronJob.metadata;
    const known = new Set(jobs.map(({ metadata }) => metadata.name));
    const names = lastJobNames(one.input).filter((name) => !known.has(name));
    const found = await Promise.all(names.map((name) => reader.job({ namespace, name })));
    const more = found.flatMap((job) => job ? [readJob(FLAVOURS, job)] : []);
    const own = more.filter((child) => isChildOf(child, cronJob));
    return own.length === 0 ? one : seenOf({ ...one.input, jobs: [...jobs, ...own] });
  }));
}

/** As many as a row of a table shows. */
const LAST_TIMES = 5;

/** Returns the names that the Jobs of the last scheduled times have, or had. */
function lastJobNames({ cronJob, now }: ViewInput): string[] {
  const { schedule: reading, settings, flavour, recorded, createdAt, metadata: { name } } = cronJob;
  if (reading.kind === "problem") return [];
  const kept = Math.min(LAST_TIMES, (settings.successfulLimit ?? LAST_TIMES) + (settings.failedLimit ?? 0));
  const schedule = reading.schedule.anchoredAt(recorded.lastScheduleTime ?? createdAt ?? now);
  const names = recorded.lastScheduleTime === undefined
    ? []
    : [scheduledJobName(name, flavour, recorded.lastScheduleTime)];
  let time = schedule.previous(now + 1);
  for (
    let i = 0;
    i < kept && time !== undefined && time > (createdAt ?? 0);
    i++, time = schedule.previous(time)
  ) {
    names.push(scheduledJobName(name, flavour, time));
  }
  return [...new Set(names)];
}

export interface NamedOptions extends Pick<ReadOptions, "now" | "controllers"> {
  /** Whether all their Pods and Events are read too. @default {false} */
  readonly readsPods?: boolean;
  /** Returns the runs that are asked for, as more may be remembered than are handed out at once; undefined: the newest. */
  readonly asked?: (input: ViewInput) => Pick<RunsAsked, "since" | "until" | "job"> | undefined;
}

/**
 * Reads the CronJobs of one name, of any API, each with its Jobs and with what is remembered of its runs. Of those that are
 * gone it returns what is remembered, after the others; where there is none but these it says so on stderr.
 *
 * @throws {NoCronJobError} where there is none, and nothing is remembered
 */
export async function readNamed(
  client: KubeClient,
  { namespace, history }: Pick<ClusterPlace, "namespace" | "history">,
  name: string,
  { now, controllers, readsPods = false, asked }: NamedOptions,
): Promise<ViewInput[]> {
  const reader = new ClusterReader(client, { namespace, names: [name] });
  const [jobs, found, kept, watched] = await Promise.all([
    reader.jobs(),
    reader.cronJobs().catch((error) => {
      if (error instanceof NoCronJobError) return error;
      throw error;
    }),
    keptRuns(history, { cronJobs: [makeKey(namespace, name)] }),
    history?.watched,
  ]);
  if (found instanceof NoCronJobError) {
    if (kept.length === 0) throw found;
    reader.complaints.once(`There is no CronJob ${name} in namespace ${namespace} now: its runs are remembered`);
    return formerCronJobs({ namespace, name }, { kept, watched, now });
  }
  const former = kept.filter((run) => !found.some(({ flavour }) => flavour.apiVersion === run.apiVersion));
  const there = await Promise.all(found.map(async (cronJob) => {
    const input = { ...asRun(cronJob, controllers, now), jobs: jobs.of(cronJob), kept, watched, now };
    const about = kept.length >= MAX_RUNS && asked?.(input);
    if (about) {
      const { apiVersion: api } = cronJob.flavour;
      input.kept = [...kept, ...await keptRuns(history, { cronJobs: [keyOf(cronJob)], api, ...about })];
    }
    try {
      viewOf(input);
    } catch (error) {
      throw notUnderstood(cronJob, error);
    }
    return readsPods ? { ...input, ...await podsAndEventsOf(input, reader) } : input;
  }));
  return [...there, ...formerCronJobs({ namespace, name }, { kept: former, watched, now })];
}

async function podsAndEventsOf({ cronJob, jobs }: ViewInput, reader: ClusterReader) {
  const names = jobs.map(({ metadata: { name } }) => name);
  // An Event that says why a Job gets no Pods is about the Job.
  const waiting = jobs.filter(({ state }) => state === "active").map(({ metadata: { name } }) => name);
  const [events, pods] = await Promise.all([
    reader.eventsAbout(cronJob.metadata.name, waiting),
    reader.podsOf(names),
  ]);
  return { events, pods };
}

/** A value of another API version may have no meaning here. One author's object must not hide all others. */
function notUnderstood({ metadata }: CronJob, cause: unknown): Error {
  const reason = firstLineOf(cause);
  const message = `Cannot say how CronJob ${
    keyOf({ metadata })
  } is, as a field of it has no value that this version knows: ${reason}`;
  return new Error(message, { cause });
}

function seenOf(input: ViewInput): Seen {
  return { input, view: viewOf(input) };
}

/** Returns the name of the Job whose termination message a controller would read to judge it; undefined for none. */
function judgedJob({ input }: Seen): string | undefined {
  if (input.cronJob.settings.expect?.messagePattern === undefined) return undefined;
  return lookAt(input).findings.expectations.unread[0]?.metadata.name;
}

/** Returns what Pods wait for, or their Jobs for Pods, how containers failed, and what they said where that is judged. */
async function withPods(seen: readonly Seen[], reader: ClusterReader, allFailures: boolean): Promise<Seen[]> {
  const waits = ({ input }: Seen) =>
    input.jobs.some(({ state, podsSeen, failedPods }) => state === "active" && (podsSeen !== "some" || failedPods));
  const failed = ({ view, input }: Seen) =>
    allFailures
      ? input.jobs.some(({ state }) => state === "failed")
      : (view.state === "Failing" || view.state === "Stopped") && view.cause?.job !== undefined;
  const judged = new Map(seen.map((one) => [one, judgedJob(one)]));
  const names = [...judged.values()].filter((name) => name !== undefined);
  const wants = (one: Seen) => waits(one) || failed(one) || judged.get(one) !== undefined;
  if (!seen.some(wants)) return [...seen];
  const [unsuccessful, successful, warnings = []] = await Promise.all([
    reader.unsuccessfulPods(),
    reader.podsOf(names),
    seen.some((one) => one.input.events && waits(one)) ? reader.warnings("Job") : [],
  ]);
  const pods = unsuccessful && successful && [...unsuccessful, ...successful.filter(({ success }) => success)];
  const podsByJob = pods && Map.groupBy(pods, ({ jobUid }) => jobUid);
  const eventsByJob = Map.groupBy(warnings, ({ regardingUid }) => regardingUid);
  return seen.map((one) => {
    if (!wants(one)) return one;
    const { jobs, events } = one.input;
    const ofJobs = <Of>(byJob: ReadonlyMap<string | undefined, readonly Of[]>) =>
      jobs.flatMap(({ metadata: { uid } }) => byJob.get(uid) ?? []);
    return seenOf({
      ...one.input,
      pods: podsByJob && ofJobs(podsByJob),
      events: events && [...events, ...ofJobs(eventsByJob)],
    });
  });
}
