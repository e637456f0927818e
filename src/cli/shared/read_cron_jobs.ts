import { type CronJob, readCronJob, withType } from "../../cronjob/api/cron_job.ts";
import { BATCH, type Flavour, TUTORIAL } from "../../cronjob/api/flavour.ts";
import type { CronJobObject } from "../../cronjob/api/types.ts";
import { ApiError } from "../../kube/api_error.ts";
import type { KubeClient, ListOptions } from "../../kube/client.ts";
import type { KubeObject } from "../../kube/object.ts";
import { listPages } from "../../kube/paging.ts";
import { apiVersionOf, EVENTS, type Job, JOBS, PODS, type Resource } from "../../kube/resource.ts";
import type { EpochMs } from "../../schedule/epoch_ms.ts";
import type { CronJobView } from "../../view/cron_job_view.ts";
import { type EventFacts, readEvent } from "../../view/event_facts.ts";
import { JobIndex } from "../../view/jobs_of.ts";
import type { ViewInput } from "../../view/look.ts";
import { type PodFacts, readPod } from "../../view/pod_facts.ts";
import { viewOf } from "../../view/view_of.ts";

/** The first is named first where both have a CronJob of one name. */
const FLAVOURS: readonly Flavour[] = [TUTORIAL, BATCH];
/** Objects a page: one answer of a few megabytes is sooner there than ten, one after the other. */
const PAGE_SIZE = 2_500;

/** Of the Pods of a Job. */
export const JOB_NAME_LABEL = "batch.kubernetes.io/job-name";

/** Which CronJobs are meant. */
export interface Selection {
  /** Undefined: all namespaces. */
  readonly namespace: string | undefined;
  /** None: all. */
  readonly names: readonly string[];
  readonly labelSelector?: string;
}

/** A CronJob with all that was read of it. */
export interface Seen {
  readonly input: ViewInput;
  readonly view: CronJobView;
}

/**
 * Reads CronJobs of both flavours and sees each. Pods are read only where they say more than the Jobs do.
 *
 * @throws {Error} naming what may not be read, if it is nothing that a view can do without
 */
export async function readCronJobs(client: KubeClient, selection: Selection, now: EpochMs): Promise<Seen[]> {
  const reader = new Reader(client, selection);
  // All at once: each takes a while where there are thousands.
  const [jobs, events, ...found] = await Promise.all([
    reader.jobs(),
    reader.warnings(),
    ...FLAVOURS.map((flavour) => reader.cronJobs(flavour)),
  ]);
  const eventsOf = events && Map.groupBy(events, ({ regardingUid }) => regardingUid);
  const seen = FLAVOURS.flatMap((flavour, i) => {
    if (found[i].length === 0) return [];
    const index = new JobIndex(flavour, jobs);
    return found[i].map((cronJob) => {
      const events = eventsOf && (eventsOf.get(cronJob.metadata.uid) ?? []);
      return seenOf({ cronJob, jobs: index.of(cronJob), events, now });
    });
  });
  return await withPods(seen, reader);
}

/**
 * Reads the CronJobs of one name, of either API, with all that is to be had of each.
 *
 * @throws {Error} where there is none
 */
export async function readNamedCronJobs(
  client: KubeClient,
  { namespace, name }: { namespace: string; name: string },
  now: EpochMs,
): Promise<ViewInput[]> {
  const inputs = await readWholeCronJobs(client, { namespace, names: [name] }, now);
  if (inputs.length === 0) throw new Error(`There is no CronJob ${name} in namespace ${namespace}`);
  return inputs;
}

/**
 * Reads a few CronJobs with all that is to be had of each: every Event and every Pod of its Jobs.
 *
 * @throws {Error} as {@linkcode readCronJobs} does
 */
async function readWholeCronJobs(client: KubeClient, selection: Selection, now: EpochMs): Promise<ViewInput[]> {
  const reader = new Reader(client, selection);
  const [jobs, ...found] = await Promise.all([reader.jobs(), ...FLAVOURS.map((flavour) => reader.cronJobs(flavour))]);
  const inputs = FLAVOURS.flatMap((flavour, i) => {
    const index = new JobIndex(flavour, jobs);
    return found[i].map((cronJob) => ({ cronJob, jobs: index.of(cronJob), now }));
  });
  return await Promise.all(inputs.map(async (input) => {
    const { cronJob: { metadata }, jobs } = input;
    const names = jobs.map(({ metadata: { name } }) => name);
    // What refuses Pods to a Job is said of the Job.
    const waiting = jobs.filter(({ state }) => state === "active").map(({ metadata: { name } }) => name);
    const [events, pods] = await Promise.all([reader.eventsAbout(metadata.name, waiting), reader.podsOf(names)]);
    return { ...input, events, pods };
  }));
}

function seenOf(input: ViewInput): Seen {
  return { input, view: viewOf(input) };
}

/** What Pods wait for, and how their containers failed. */
async function withPods(seen: readonly Seen[], reader: Reader): Promise<Seen[]> {
  const waits = ({ input }: Seen) =>
    input.jobs.some(({ state, podsSeen }) => state === "active" && podsSeen !== "some");
  const failed = ({ view }: Seen) => view.state === "Failing" && view.cause?.job !== undefined;
  const [pending, ended] = await Promise.all([
    seen.some(waits) ? reader.pods("Pending") : [],
    seen.some(failed) ? reader.pods("Failed") : [],
  ]);
  if (pending === undefined || ended === undefined) return [...seen];
  const byJob = Map.groupBy([...pending, ...ended], ({ jobUid }) => jobUid);
  return seen.map((one) => {
    if (!waits(one) && !failed(one)) return one;
    const pods = one.input.jobs.flatMap(({ metadata }) => byJob.get(metadata.uid) ?? []);
    return pods.length === 0 ? one : seenOf({ ...one.input, pods });
  });
}

/** Reads what is meant, each kind once. */
class Reader {
  readonly #client: KubeClient;
  readonly #selection: Selection;

  constructor(client: KubeClient, selection: Selection) {
    this.#client = client;
    this.#selection = selection;
  }

  async cronJobs(flavour: Flavour): Promise<CronJob[]> {
    const { names, labelSelector } = this.#selection;
    try {
      const [name] = names;
      const fieldSelector = names.length === 1 ? `metadata.name=${name}` : undefined;
      const objects = await this.#list(flavour.resource, { labelSelector, fieldSelector });
      return objects.filter(({ metadata }) => names.length === 0 || names.includes(metadata.name))
        .map((object: CronJobObject) => readCronJob(flavour, withType(flavour, object)));
    } catch (error) {
      // A cluster without the tutorial's CRD.
      if (error instanceof ApiError && error.isNotFound) return [];
      throw mayNot(error, flavour.resource, this.#selection);
    }
  }

  async jobs(): Promise<Job[]> {
    try {
      return await this.#list(JOBS, {});
    } catch (error) {
      throw mayNot(error, JOBS, this.#selection);
    }
  }

  /** Undefined where they may not be read. */
  async warnings(): Promise<EventFacts[] | undefined> {
    const events = await orUndefined(
      this.#list(EVENTS, { fieldSelector: "involvedObject.kind=CronJob,type=Warning" }),
    );
    return events?.flatMap((event) => readEvent(event) ?? []).sort((a, b) => a.lastAt - b.lastAt);
  }

  /** All Events about objects of these names; undefined where they may not be read, which is asked once. */
  async eventsAbout(cronJob: string, jobs: readonly string[]): Promise<EventFacts[] | undefined> {
    const about = (name: string) => this.#list(EVENTS, { fieldSelector: `involvedObject.name=${name}` });
    const own = await orUndefined(about(cronJob));
    if (own === undefined) return undefined;
    const all = [own, ...await Promise.all(jobs.map(about))].flat();
    return all.flatMap((event) => readEvent(event) ?? []).sort((a, b) => a.lastAt - b.lastAt);
  }

  async podsOf(jobs: readonly string[]): Promise<PodFacts[] | undefined> {
    if (jobs.length === 0) return [];
    const labelSelector = `${JOB_NAME_LABEL} in (${jobs.join(",")})`;
    return (await orUndefined(this.#list(PODS, { labelSelector })))?.map(readPod);
  }

  async pods(phase: "Pending" | "Failed"): Promise<PodFacts[] | undefined> {
    return (await orUndefined(this.#list(PODS, { fieldSelector: `status.phase=${phase}` })))?.map(readPod);
  }

  async #list<T extends KubeObject>(resource: Resource<T>, options: ListOptions): Promise<T[]> {
    const { namespace } = this.#selection;
    const pages: T[][] = [];
    for await (const page of listPages(this.#client, resource, { ...options, namespace, limit: PAGE_SIZE })) {
      pages.push(page);
    }
    return pages.flat();
  }
}

async function orUndefined<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ApiError && error.isForbidden) return undefined;
    throw error;
  }
}

function mayNot(error: unknown, { plural, ...resource }: Resource, { namespace }: Selection): unknown {
  if (!(error instanceof ApiError && error.isForbidden)) return error;
  const what = `${plural} of ${apiVersionOf({ plural, ...resource })}`;
  const where = namespace === undefined ? "in all namespaces; name one with --namespace" : `in namespace ${namespace}`;
  return new Error(`You may not list ${what} ${where}`, { cause: error });
}
