import type { CronJob } from "../../cronjob/api/cron_job.ts";
import { type Flavour, FLAVOURS } from "../../cronjob/api/flavour.ts";
import { readJob } from "../../cronjob/api/job.ts";
import type { CronJobObject } from "../../cronjob/api/types.ts";
import { CHILD_INDEXES } from "../../cronjob/child_cache.ts";
import type { KubeClient } from "../../kube/client.ts";
import { controllerOf, type KubeObject, makeKey } from "../../kube/object.ts";
import type { StreamHold } from "../../kube/stream_hold.ts";
import { type Event, EVENTS, type Job, JOBS, type Pod, PODS } from "../../kube/resource.ts";
import type { Clock } from "../../base/clock.ts";
import { Informer } from "../../runtime/informer.ts";
import type { Cached } from "../../runtime/store.ts";
import type { EpochMs } from "../../base/epoch_ms.ts";
import { type EventFacts, readEvent, warningsAbout } from "../../view/event_facts.ts";
import { jobsOf } from "../../view/jobs_of.ts";
import { asRun, type Controllers } from "../../view/runner.ts";
import type { ViewInput } from "../../view/look.ts";
import { type PodFacts, readPod } from "../../view/pod_facts.ts";
import { JOB_NAME_LABEL } from "../../view/run_pods.ts";
import { KeptCronJob } from "./kept_cron_job.ts";
import { KeptJob } from "./kept_job.ts";
import type { Grants } from "../visitors/grants.ts";
import type { Target } from "../wire.ts";

/** The followed kinds and namespaces. */
export interface FollowOptions extends Pick<Grants, "flavours" | "pods" | "events"> {
  readonly client: KubeClient;
  readonly clock: Clock;
  /** None: all. */
  readonly namespaces: readonly string[];
  /** While it is held, what watches say is received and not read. */
  readonly hold: StreamHold;
}

interface KeptPod extends Cached {
  readonly jobName: string | undefined;
  readonly facts: PodFacts;
}

interface KeptEvent extends Cached {
  readonly regardingName: string;
  readonly facts: EventFacts;
}

/** For a program that goes on: what is left of a page once it has been read is garbage, and as much as it was. */
const PAGE_SIZE = 100;

/** All that views rest on, kept up to date by watches. Of each object only what views read is kept, of most as text. */
export class Followed {
  readonly #flavours: readonly Flavour[];
  readonly #cronJobs: readonly Informer<CronJobObject, never, KeptCronJob>[];
  readonly #jobs: Informer<Job, "owner", KeptJob>;
  readonly #pods: Informer<Pod, "job", KeptPod> | undefined;
  readonly #events: readonly Informer<Event, "regarding", KeptEvent>[] | undefined;
  readonly #byUid = new Map<string, KeptCronJob>();

  /** @param onChange called with the UID of each CronJob that looks otherwise than before, or is gone */
  constructor({ flavours, pods, events, ...options }: FollowOptions, onChange: (uid: string) => void) {
    const common = { ...options, pageSize: PAGE_SIZE };
    this.#flavours = flavours;
    this.#cronJobs = flavours.map((flavour) =>
      new Informer<CronJobObject, never, KeptCronJob>({
        ...common,
        resource: flavour.resource,
        transform: (object) => new KeptCronJob(flavour, object),
      })
    );
    // A list comes by name: Jobs of one CronJob stand together.
    let last: KeptJob | undefined;
    this.#jobs = new Informer<Job, "owner", KeptJob>({
      ...common,
      resource: JOBS,
      indexes: CHILD_INDEXES,
      transform: (job) => {
        const child = readJob(FLAVOURS, job);
        const [sibling] = this.#jobs.store.byIndex("owner", child.owner?.uid ?? "");
        return last = new KeptJob(child, sibling ?? last);
      },
    });
    if (pods) {
      this.#pods = new Informer<Pod, "job", KeptPod>({
        ...common,
        resource: PODS,
        labelSelector: JOB_NAME_LABEL,
        indexes: { job: ({ facts: { jobUid } }) => jobUid === undefined ? [] : [jobUid] },
        transform: (pod) => ({ metadata: identityOf(pod), facts: readPod(pod), jobName: controllerOf(pod)?.name }),
      });
    }
    if (events) {
      this.#events = (["CronJob", "Job"] as const).map((kind) =>
        new Informer<Event, "regarding", KeptEvent>({
          ...common,
          resource: EVENTS,
          fieldSelector: warningsAbout(kind),
          indexes: { regarding: ({ facts }) => [facts.regardingUid] },
          transform: (event) => {
            const facts = readEvent(event);
            if (!facts) throw new Error("it has no time");
            return { metadata: identityOf(event), facts, regardingName: event.involvedObject.name ?? "" };
          },
        })
      );
    }
    this.#listen(onChange);
  }

  /** Works until `signal` is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#informers.map((informer) => informer.run(signal)));
  }

  /** Resolves once all that there is has been listed. */
  async ready(): Promise<void> {
    await Promise.all(this.#informers.map((informer) => informer.ready()));
  }

  /** The error that keeps objects from being newest now; undefined when all is well. */
  get error(): unknown {
    return this.#informers.map(({ error }) => error).find((error) => error !== undefined);
  }

  /** Of all CronJobs. */
  get uids(): Iterable<string> {
    return this.#byUid.keys();
  }

  /** The UID of the CronJob of this name; undefined where there is none. */
  uidOf({ apiVersion, namespace, name }: Target): string | undefined {
    const index = this.#flavours.findIndex((flavour) => flavour.apiVersion === apiVersion);
    return this.#cronJobs[index]?.store.get(makeKey(namespace, name))?.metadata.uid;
  }

  /** Undefined where there is no such CronJob. */
  cronJobOf(uid: string): CronJob | undefined {
    return this.#byUid.get(uid)?.read();
  }

  /** Undefined where there is no such CronJob. */
  inputOf(uid: string, controllers: Controllers, now: EpochMs): ViewInput | undefined {
    const cronJob = this.cronJobOf(uid);
    if (!cronJob) return undefined;
    const { store } = this.#jobs;
    const named = store.byIndex("owner", uid).map((job) => job.read());
    const jobs = jobsOf(
      cronJob,
      named,
      ({ name = "" }) => store.get(makeKey(cronJob.metadata.namespace, name))?.read(),
    );
    const pods = this.#pods;
    const events = this.#events;
    const about = [uid, ...jobs.map(({ metadata }) => metadata.uid)];
    return {
      ...asRun(cronJob, controllers, now),
      jobs,
      pods: pods && jobs.flatMap(({ metadata }) => pods.store.byIndex("job", metadata.uid).map(({ facts }) => facts)),
      events: events &&
        about.flatMap((uid) => events.flatMap(({ store }) => store.byIndex("regarding", uid).map(({ facts }) => facts)))
          .sort((a, b) => a.lastAt - b.lastAt),
      now,
    };
  }

  #listen(onChange: (uid: string) => void): void {
    const tell = (uid: string | undefined) => uid !== undefined && onChange(uid);
    for (const informer of this.#cronJobs) {
      informer.onChange(({ type, object }) => {
        const { uid } = object.metadata;
        if (type === "deleted") this.#byUid.delete(uid);
        else this.#byUid.set(uid, object);
        tell(uid);
      });
    }
    this.#jobs.onChange(({ object, previous }) => {
      tell(object.owner?.uid);
      if (previous?.owner?.uid !== object.owner?.uid) tell(previous?.owner?.uid);
    });
    this.#pods?.onChange(({ object: { metadata, jobName, facts } }) =>
      tell(this.#ownerOf(facts.jobUid, metadata.namespace, jobName))
    );
    for (const informer of this.#events ?? []) {
      informer.onChange(({ object: { metadata, regardingName, facts: { regardingUid } } }) =>
        tell(
          this.#byUid.has(regardingUid) ? regardingUid : this.#ownerOf(regardingUid, metadata.namespace, regardingName),
        )
      );
    }
  }

  /** The UID of the CronJob of a Job, as what Pods and Events are about is the Job. */
  #ownerOf(jobUid: string | undefined, namespace: string | undefined, name = ""): string | undefined {
    const job = this.#jobs.store.get(makeKey(namespace, name));
    return job?.metadata.uid === jobUid ? job?.owner?.uid : undefined;
  }

  get #informers() {
    return [...this.#cronJobs, this.#jobs, ...this.#pods ? [this.#pods] : [], ...this.#events ?? []];
  }
}

function identityOf({ metadata: { name, namespace, uid, resourceVersion } }: KubeObject): Cached["metadata"] {
  return { name, namespace, uid, resourceVersion };
}
