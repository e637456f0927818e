import { type CronJob, readCronJob, withType } from "../../cronjob/api/cron_job.ts";
import { type Flavour, FLAVOURS } from "../../cronjob/api/flavour.ts";
import { type Child, readJob } from "../../cronjob/api/job.ts";
import type { CronJobObject } from "../../cronjob/api/types.ts";
import { ApiError } from "../../kube/api_error.ts";
import type { KubeClient, ListOptions } from "../../kube/client.ts";
import type { KubeObject } from "../../kube/object.ts";
import { EVENTS, JOBS, PODS, type Resource } from "../../kube/resource.ts";
import type { Clock } from "../../runtime/clock.ts";
import { Informer, withoutManagedFields } from "../../runtime/informer.ts";
import type { Cached } from "../../runtime/store.ts";
import { type EventFacts, readEvent } from "../../view/event_facts.ts";
import { JobIndex } from "../../view/jobs_of.ts";
import { type PodFacts, readPod } from "../../view/pod_facts.ts";
import {
  assertNamed,
  isSelected,
  JOB_PODS,
  mayNot,
  type Selection,
  selectorsOf,
  WARNINGS,
} from "../shared/cluster_reader.ts";
import { Complaints } from "../shared/complain.ts";
import type { Reader } from "../shared/read_cron_jobs.ts";
import { servedFlavours } from "../../cronjob/served_flavours.ts";

/** What was read of one object. */
interface Read<T> extends Cached {
  readonly facts: T;
}

/** Objects of one resource as they are now. */
interface Followed<T> {
  readonly facts: () => T[];
  /** Why they may not be read, or no longer; `missing` where none are served. */
  refusal?: ApiError | "missing";
}

/** Knows what views rest on without asking for it again: it follows watches. */
export class LiveReader implements Reader, AsyncDisposable {
  readonly #end = new AbortController();
  readonly #ended: Promise<void>[] = [];
  readonly #client: KubeClient;
  readonly #clock: Clock;
  readonly #selection: Selection;
  readonly #complaints = new Complaints();
  #flavours: readonly Flavour[] = [];
  #changed = Promise.withResolvers<void>();
  #cronJobs: readonly Followed<CronJob>[] = [];
  #jobs!: Followed<Child>;
  #pods!: Followed<PodFacts>;
  #events!: Followed<EventFacts | undefined>;

  private constructor(client: KubeClient, clock: Clock, selection: Selection) {
    this.#client = client;
    this.#clock = clock;
    this.#selection = selection;
  }

  /**
   * Resolves once all has been listed.
   *
   * @throws {Error} if no CronJobs, or no Jobs, may be followed, or one that is named isn't there
   */
  static async start(client: KubeClient, clock: Clock, selection: Selection): Promise<LiveReader> {
    const reader = new LiveReader(client, clock, selection);
    try {
      await reader.#start();
      return reader;
    } catch (error) {
      await reader[Symbol.asyncDispose]();
      throw error;
    }
  }

  async #start(): Promise<void> {
    const selectors = selectorsOf(this.#selection);
    const flavours = await servedFlavours(this.#client);
    const ofFlavour = (flavour: Flavour) => (object: KubeObject) =>
      readCronJob(flavour, withType(flavour, object as CronJobObject));
    const [jobs, pods, events, ...cronJobs] = await Promise.all([
      this.#follow(JOBS, {}, (job) => readJob(FLAVOURS, job)),
      this.#follow(PODS, JOB_PODS, readPod),
      this.#follow(EVENTS, WARNINGS, readEvent),
      ...flavours.map((flavour) => this.#follow(flavour.resource, selectors, ofFlavour(flavour))),
    ]);
    this.#jobs = jobs;
    this.#pods = pods;
    this.#events = events;
    this.#cronJobs = cronJobs;
    this.#flavours = flavours;
    this.#checkRights();
    assertNamed(this.#selected(), this.#selection);
  }

  /** @throws {Error} if no CronJobs, or no Jobs, may be followed */
  #checkRights(): void {
    const refusalOf = ({ refusal }: Followed<unknown>, resource: Resource) =>
      refusal instanceof ApiError ? [mayNot(resource, this.#selection, refusal, "watch")] : [];
    const [noJobs] = refusalOf(this.#jobs, JOBS);
    if (noJobs) throw noJobs;
    const refusals = this.#cronJobs.flatMap((followed, i) => refusalOf(followed, this.#flavours[i]!.resource));
    if (refusals.length > 0 && refusals.length === this.#cronJobs.length) throw refusals.at(-1);
    for (const { message } of refusals) this.sayOnce(message);
  }

  sayOnce(message: string): void {
    this.#complaints.once(message);
  }

  async #follow<K extends KubeObject, T>(
    resource: Resource<K>,
    selectors: ListOptions,
    read: (object: K) => T,
  ): Promise<Followed<T>> {
    const { namespace } = this.#selection;
    const end = new AbortController();
    const refused = Promise.withResolvers<void>();
    const informer: Informer<K, never, Read<T>> = new Informer<K, never, Read<T>>({
      ...selectors,
      client: reportingRefusals(this.#client, (refusal) => {
        followed.refusal = refusal;
        end.abort();
        refused.resolve();
        this.#changed.resolve();
      }),
      resource,
      clock: this.#clock,
      namespaces: namespace === undefined ? [] : [namespace],
      transform: (object) => ({ metadata: object.metadata, facts: read(withoutManagedFields(object)) }),
    });
    const followed: Followed<T> = { facts: () => Array.from(informer.store.values(), ({ facts }) => facts as T) };
    this.#ended.push(informer.run(AbortSignal.any([this.#end.signal, end.signal])));
    await Promise.race([informer.ready(), refused.promise]);
    informer.onChange(() => this.#changed.resolve());
    return followed;
  }

  /**
   * Begins to look at what is known now; the promise resolves when anything has changed since.
   *
   * @throws {Error} if no CronJobs, or no Jobs, may be followed any more
   */
  begin(): { readonly changed: Promise<void> } {
    this.#checkRights();
    this.#changed = Promise.withResolvers();
    return { changed: this.#changed.promise };
  }

  cronJobs(): Promise<CronJob[]> {
    return Promise.resolve(this.#selected());
  }

  #selected(): CronJob[] {
    const all = this.#cronJobs.flatMap((followed) => factsOf(followed) ?? []);
    return all.filter((cronJob) => isSelected(cronJob, this.#selection));
  }

  jobs(): Promise<JobIndex> {
    const index = new JobIndex(FLAVOURS);
    index.addRead(factsOf(this.#jobs) ?? []);
    return Promise.resolve(index);
  }

  /** All are known. */
  job(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  warnings(): Promise<EventFacts[] | undefined> {
    const events = factsOf(this.#events)?.filter((event) => event !== undefined);
    return Promise.resolve(events?.sort((a, b) => a.lastAt - b.lastAt));
  }

  podsOfJobs(): Promise<PodFacts[] | undefined> {
    return Promise.resolve(factsOf(this.#pods));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort();
    await Promise.all(this.#ended);
  }
}

function factsOf<T>({ facts, refusal }: Followed<T>): T[] | undefined {
  return refusal === undefined ? facts() : undefined;
}

/** Returns the same client; `report` is called where it is forbidden to read something, or it is not served. */
function reportingRefusals(client: KubeClient, report: (refusal: ApiError | "missing") => void): KubeClient {
  const listen = (error: unknown) => {
    if (error instanceof ApiError && error.isForbidden) report(error);
    if (error instanceof ApiError && error.isNotFound) report("missing");
    throw error;
  };
  return {
    ...client,
    list: (resource, options) => client.list(resource, options).catch(listen),
    async *watch(resource, options) {
      try {
        yield* client.watch(resource, options);
      } catch (error) {
        listen(error);
      }
    },
  };
}
