import type { CronJob } from "../../cronjob/api/cron_job.ts";
import { readCronJob, withType } from "../../cronjob/api/read_cron_job.ts";
import type { Flavour } from "../../cronjob/api/flavour.ts";
import type { CronJobObject } from "../../cronjob/api/types.ts";
import { ApiError, ignoreNotFound } from "../../kube/api_error.ts";
import type { KubeClient, ListOptions } from "../../kube/client.ts";
import type { KubeObject, ObjectName } from "../../kube/object.ts";
import { listPages } from "../../kube/paging.ts";
import { apiVersionOf, EVENTS, type Job, JOBS, PODS, type Resource } from "../../kube/resource.ts";
import { type EventFacts, readEvent, warningsAbout } from "../../view/event_facts.ts";
import { JobIndex } from "../../view/jobs_of.ts";
import { type PodFacts, readPod } from "../../view/pod_facts.ts";
import { JOB_NAME_LABEL } from "../../view/run_pods.ts";
import { servedFlavours } from "../../cronjob/served_flavours.ts";
import type { Choice } from "../flags/choice.ts";
import { Complaints } from "../print/complain.ts";

/** Objects in a page: one answer of a few megabytes arrives sooner than ten in sequence. */
const PAGE_SIZE = 2_500;

/** The objects that are read from a cluster. */
export interface Selection {
  /** Undefined: all namespaces. */
  readonly namespace: string | undefined;
  /** @default all */
  readonly names?: readonly string[];
  readonly labelSelector?: string | undefined;
  /** The APIs to read. Empty: all. */
  readonly apis?: readonly Flavour[] | undefined;
}

/** Returns the selection of the command line. `namespace` counts without `--all-namespaces`. */
export function selectionOf({ names, allNamespaces, selector, api }: Choice, namespace: string): Selection {
  return { namespace: allNamespaces ? undefined : namespace, names, labelSelector: selector, apis: api };
}

/** A CronJob that a user named is not there. */
export class NoCronJobError extends Error {}

/** In one request, which has them in its URL. */
const MAX_NAMES = 100;

/** Reads the CronJobs of a selection, and the objects that their views need. */
export class ClusterReader {
  readonly #client: KubeClient;
  readonly #selection: Selection;
  #served: Promise<readonly Flavour[]> | undefined;
  /** Prints which parts are not shown, and why, each once. */
  readonly complaints = new Complaints();

  constructor(client: KubeClient, selection: Selection) {
    this.#client = client;
    this.#selection = selection;
  }

  /**
   * The CronJobs of every API that may be read. An API that may not be read is named on stderr.
   *
   * @throws {Error} if no API may be read
   * @throws {NoCronJobError} if a named CronJob is not there
   */
  async cronJobs(): Promise<CronJob[]> {
    this.#served ??= servedFlavours(this.#client);
    const { apis = [] } = this.#selection;
    const meant = (await this.#served).filter((flavour) => apis.length === 0 || apis.includes(flavour));
    const answers = await Promise.all(meant.map((flavour) => this.#cronJobsOf(flavour)));
    const refusals = answers.filter((answer) => answer instanceof Error);
    if (refusals.length > 0 && refusals.length === answers.length) throw refusals.at(-1);
    for (const { message } of refusals) this.complaints.once(message);
    return assertNamed(answers.flatMap((answer) => answer instanceof Error ? [] : answer), this.#selection);
  }

  async #cronJobsOf(flavour: Flavour): Promise<CronJob[] | Error> {
    const { names = [], labelSelector } = this.#selection;
    const fieldSelector = names.length === 1 ? `metadata.name=${names[0]}` : undefined;
    try {
      const objects = await this.#list(flavour.resource, { labelSelector, fieldSelector });
      return objects.filter(({ metadata: { name } }) => names.length === 0 || names.includes(name))
        .map((object: CronJobObject) => readCronJob(flavour, withType(flavour, object)));
    } catch (error) {
      if (error instanceof ApiError && error.isNotFound) return [];
      if (error instanceof ApiError && error.isForbidden) return forbidden(flavour.resource, this.#selection, error);
      throw error;
    }
  }

  /** @param unsuccessful whether Jobs of which a Pod has succeeded are left out */
  async jobs({ unsuccessful = false } = {}): Promise<JobIndex> {
    const index = new JobIndex();
    try {
      for await (const page of this.#pages(JOBS, unsuccessful ? { fieldSelector: "status.successful=0" } : {})) {
        index.add(page);
      }
      return index;
    } catch (error) {
      if (error instanceof ApiError && error.isForbidden) throw forbidden(JOBS, this.#selection, error);
      throw error;
    }
  }

  /** Undefined where the Job is not there, or may not be read. */
  async job(name: ObjectName): Promise<Job | undefined> {
    return await this.#client.get(JOBS, name).catch(ignoreNotFound).catch(ignoreForbidden);
  }

  /** Warnings about objects of a kind, by time; undefined where Events may not be read. */
  async warnings(about: "CronJob" | "Job"): Promise<EventFacts[] | undefined> {
    const events = await this.#list(EVENTS, { fieldSelector: warningsAbout(about) }).catch(ignoreForbidden);
    return events?.flatMap((event) => readEvent(event) ?? []).sort((a, b) => a.lastAt - b.lastAt);
  }

  /** Events about these names, by time; undefined where the first request for them is forbidden. */
  async eventsAbout(cronJob: string, jobs: readonly string[]): Promise<EventFacts[] | undefined> {
    const about = (name: string) => this.#list(EVENTS, { fieldSelector: `involvedObject.name=${name}` });
    const own = await about(cronJob).catch(ignoreForbidden);
    if (own === undefined) return undefined;
    const all = [own, ...await Promise.all(jobs.map(about))].flat();
    return all.flatMap((event) => readEvent(event) ?? []).sort((a, b) => a.lastAt - b.lastAt);
  }

  /** All Pods of these Jobs; undefined where Pods may not be read. */
  async podsOf(jobs: readonly string[]): Promise<PodFacts[] | undefined> {
    if (jobs.length === 0) return [];
    const lists = Array.from({ length: Math.ceil(jobs.length / MAX_NAMES) }, (_, i) => {
      const labelSelector = `${JOB_NAME_LABEL} in (${jobs.slice(i * MAX_NAMES, (i + 1) * MAX_NAMES).join(",")})`;
      return this.#list(PODS, { labelSelector });
    });
    return (await Promise.all(lists).catch(ignoreForbidden))?.flat().map(readPod);
  }

  /** The Pods of all Jobs that have not succeeded; undefined where Pods may not be read. */
  async unsuccessfulPods(): Promise<PodFacts[] | undefined> {
    const options = { labelSelector: JOB_NAME_LABEL, fieldSelector: "status.phase!=Succeeded" };
    return (await this.#list(PODS, options).catch(ignoreForbidden))?.map(readPod);
  }

  async #list<T extends KubeObject>(resource: Resource<T>, options: ListOptions): Promise<T[]> {
    return (await Array.fromAsync(this.#pages(resource, options))).flat();
  }

  #pages<T extends KubeObject>(resource: Resource<T>, options: ListOptions): AsyncIterable<T[]> {
    return listPages(this.#client, resource, { ...options, namespace: this.#selection.namespace, limit: PAGE_SIZE });
  }
}

function ignoreForbidden(error: unknown): undefined {
  if (!(error instanceof ApiError && error.isForbidden)) throw error;
}

/** Returns the error of a list that the cluster forbids, with the flag that may help. */
function forbidden(resource: Resource, { namespace }: Selection, cause: ApiError): Error {
  const what = `${resource.plural} of ${apiVersionOf(resource)}`;
  const where = namespace === undefined ? "in all namespaces; name one with --namespace" : `in namespace ${namespace}`;
  return new Error(`You may not list ${what} ${where}`, { cause });
}

/** Returns the CronJobs. @throws {NoCronJobError} naming those that a user named, and that are not there */
function assertNamed(found: CronJob[], { names = [], namespace }: Selection): CronJob[] {
  const missing = names.filter((name) => !found.some(({ metadata }) => metadata.name === name));
  if (missing.length === 0) return found;
  throw new NoCronJobError(
    `There is no CronJob ${missing.join(", ")} in namespace ${namespace}: name another one with --namespace; ` +
      "status --all-namespaces shows all",
  );
}
