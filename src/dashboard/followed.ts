import { type CronJob, readCronJob, withType } from "../cronjob/api/cron_job.ts";
import { type Flavour, FLAVOURS } from "../cronjob/api/flavour.ts";
import { type Child, isChildOf, readJob } from "../cronjob/api/job.ts";
import type { CronJobObject } from "../cronjob/api/types.ts";
import { CHILD_INDEXES } from "../cronjob/child_cache.ts";
import type { KubeClient } from "../kube/client.ts";
import { type KubeObject, makeKey } from "../kube/object.ts";
import type { StreamHold } from "../kube/stream_hold.ts";
import { apiVersionOf, type Event, EVENTS, type Job, JOBS, type Pod, PODS } from "../kube/resource.ts";
import type { Clock } from "../runtime/clock.ts";
import { Informer } from "../runtime/informer.ts";
import type { Cached } from "../runtime/store.ts";
import type { EpochMs } from "../schedule/epoch_ms.ts";
import { type EventFacts, readEvent } from "../view/event_facts.ts";
import type { ViewInput } from "../view/look.ts";
import { type PodFacts, readPod } from "../view/pod_facts.ts";
import { shrunkCronJob, shrunkJob } from "./shrink.ts";
import type { Target } from "./wire.ts";

/** What is followed, and where. */
export interface FollowOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly flavours: readonly Flavour[];
  /** None: all. */
  readonly namespaces: readonly string[];
  /** Whether Pods may be read. */
  readonly pods: boolean;
  /** Whether Events may be read. */
  readonly events: boolean;
  /** While it is held, what watches say is received and not read. */
  readonly hold: StreamHold;
}

interface KeptPod extends Cached {
  readonly facts: PodFacts;
}

interface KeptEvent extends Cached {
  readonly facts: EventFacts;
}

/** All that views rest on, kept up to date by watches. Of each object only what views read is kept. */
export class Followed {
  readonly #flavours: readonly Flavour[];
  readonly #cronJobs: readonly Informer<CronJobObject, never, CronJob>[];
  readonly #jobs: Informer<Job, "owner", Child>;
  readonly #pods: Informer<Pod, "job", KeptPod> | undefined;
  readonly #events: readonly Informer<Event, "regarding", KeptEvent>[] | undefined;
  readonly #byUid = new Map<string, CronJob>();
  /** The CronJob of each Job, as what Pods and Events are about is the Job. */
  readonly #ownerOf = new Map<string, string>();

  /** @param onChange called with the UID of each CronJob that looks otherwise than before, or is gone */
  constructor({ flavours, pods, events, ...common }: FollowOptions, onChange: (uid: string) => void) {
    this.#flavours = flavours;
    this.#cronJobs = flavours.map((flavour) =>
      new Informer<CronJobObject, never, CronJob>({
        ...common,
        resource: flavour.resource,
        transform: (object) => readCronJob(flavour, withType(flavour, shrunkCronJob(object))),
      })
    );
    this.#jobs = new Informer<Job, "owner", Child>({
      ...common,
      resource: JOBS,
      indexes: CHILD_INDEXES,
      transform: (job) => {
        const child = readJob(FLAVOURS, job);
        return shrunkJob(child, child.owner && this.#jobs.store.byIndex("owner", child.owner.uid)[0]);
      },
    });
    if (pods) {
      this.#pods = new Informer<Pod, "job", KeptPod>({
        ...common,
        resource: PODS,
        labelSelector: "batch.kubernetes.io/job-name",
        indexes: { job: ({ facts: { jobUid } }) => jobUid === undefined ? [] : [jobUid] },
        transform: (pod) => ({ metadata: identityOf(pod), facts: readPod(pod) }),
      });
    }
    if (events) this.#events = WARNINGS.map((fieldSelector) => warnings({ ...common, fieldSelector }));
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

  /** What keeps something from being newest now; undefined when all is well. */
  get error(): unknown {
    return this.#informers.map(({ error }) => error).find((error) => error !== undefined);
  }

  /** The UID of the CronJob of this name; undefined where there is none. */
  uidOf({ apiVersion, namespace, name }: Target): string | undefined {
    const index = this.#flavours.findIndex(({ resource }) => apiVersionOf(resource) === apiVersion);
    return this.#cronJobs[index]?.store.get(makeKey(namespace, name))?.metadata.uid;
  }

  /** Undefined where there is no such CronJob. */
  inputOf(uid: string, now: EpochMs): ViewInput | undefined {
    const kept = this.#byUid.get(uid);
    if (!kept) return undefined;
    // Read anew each time: it keeps what it has worked out, which is more than the object.
    const cronJob = readCronJob(kept.flavour, kept.object);
    const jobs = this.#jobsOf(cronJob);
    const pods = this.#pods;
    const events = this.#events;
    const about = [uid, ...jobs.map(({ metadata }) => metadata.uid)];
    return {
      cronJob,
      jobs,
      pods: pods && jobs.flatMap(({ metadata }) => pods.store.byIndex("job", metadata.uid).map(({ facts }) => facts)),
      events: events &&
        about.flatMap((uid) => events.flatMap(({ store }) => store.byIndex("regarding", uid).map(({ facts }) => facts)))
          .sort((a, b) => a.lastAt - b.lastAt),
      now,
    };
  }

  /** Its children, and those that its status lists as active though they no longer name it. */
  #jobsOf(cronJob: CronJob): readonly Child[] {
    const { store } = this.#jobs;
    const { uid, namespace } = cronJob.metadata;
    const own = store.byIndex("owner", uid).filter((child) => isChildOf(child, cronJob));
    const known = new Set(own.map(({ metadata }) => metadata.uid));
    const strays = (cronJob.status.active ?? []).flatMap(({ uid = "", name = "" }) => {
      const child = known.has(uid) ? undefined : store.get(makeKey(namespace, name));
      return child?.metadata.uid === uid ? [child] : [];
    });
    return [...own, ...strays];
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
    this.#jobs.onChange(({ type, object, previous }) => {
      const { uid } = object.metadata;
      if (type === "deleted" || !object.owner) this.#ownerOf.delete(uid);
      else this.#ownerOf.set(uid, object.owner.uid);
      tell(object.owner?.uid);
      if (previous?.owner?.uid !== object.owner?.uid) tell(previous?.owner?.uid);
    });
    this.#pods?.onChange(({ object: { facts } }) => tell(this.#ownerOf.get(facts.jobUid ?? "")));
    for (const informer of this.#events ?? []) {
      informer.onChange(({ object: { facts: { regardingUid } } }) =>
        tell(this.#byUid.has(regardingUid) ? regardingUid : this.#ownerOf.get(regardingUid))
      );
    }
  }

  get #informers() {
    return [...this.#cronJobs, this.#jobs, ...this.#pods ? [this.#pods] : [], ...this.#events ?? []];
  }
}

/** No selector says "of either kind". */
const WARNINGS = ["CronJob", "Job"].map((kind) => `involvedObject.kind=${kind},type=Warning`);

function warnings(
  options: Pick<FollowOptions, "client" | "clock" | "namespaces" | "hold"> & { fieldSelector: string },
) {
  return new Informer<Event, "regarding", KeptEvent>({
    ...options,
    resource: EVENTS,
    indexes: { regarding: ({ facts }) => [facts.regardingUid] },
    transform: (event) => {
      const facts = readEvent(event);
      if (!facts) throw new Error("it has no time");
      return { metadata: identityOf(event), facts };
    },
  });
}

function identityOf({ metadata: { name, namespace, uid, resourceVersion } }: KubeObject): Cached["metadata"] {
  return { name, namespace, uid, resourceVersion };
}
