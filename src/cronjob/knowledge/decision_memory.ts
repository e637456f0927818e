import { controllerOf, type DeepReadonly } from "../../kube/object.ts";
import type { Job } from "../../kube/resource.ts";
import { type EpochMs, parseTime } from "../../schedule/epoch_ms.ts";
import { TRIGGER } from "../api/annotations.ts";
import type { CronJobApi } from "../api/flavour.ts";
import { isFinished } from "../api/job.ts";
import { isSuspended, regimeOf } from "../api/stewardship.ts";
import { specWrittenAt } from "../api/spec_writes.ts";
import type { CronJobObject } from "../api/types.ts";
import type { Memory } from "../decision/plan.ts";

/** How many things of a kind are remembered about one CronJob. */
const REMEMBERED = 200;
/** After so long without a Job in the cache, the API server is asked whether it still exists. */
const LONG_MS = 30_000;

/**
 * What this process knows about one CronJob that its caches may not show yet. Caches lag, each for itself; with this the
 * controller never acts on a world older than its own last act. All of it may be lost: a new process begins with lists that
 * are newer than everything an old one did.
 */
export class CronJobMemory implements Memory {
  startedUntil: EpochMs | undefined;
  readonly triggers = new Set<string>();
  decidedUntil: EpochMs | undefined;
  editedAt: EpochMs | undefined;
  resumedAt: EpochMs | undefined;
  readonly handedOver = new Map<string, boolean | "unknown">();
  /** Jobs as they are known to be although the cache has not shown it: created, or found by asking. By UID. */
  readonly unseen = new Map<string, DeepReadonly<Job>>();
  /** UIDs of Jobs whose deletion was accepted, or seen, or that were asked for in vain. */
  readonly gone = new Set<string>();
  /** Those of them that this process deleted. */
  readonly deleted = new Set<string>();
  /** Names of Jobs whose creation may have taken effect, though its answer never came. */
  readonly doubtful = new Set<string>();
  /** Creations refused in a row. */
  refusals = 0;
  /** The newest of this CronJob that a write of ours returned, and the versions that it is newer than. */
  #written: { object: DeepReadonly<CronJobObject>; supersedes: Set<string> } | undefined;
  #said = new Set<string>();
  /** By UID, on the monotonic clock. */
  #unseenSince = new Map<string, number>();
  #schedule: string | undefined;
  #suspended: boolean | undefined;

  started(scheduledTime: EpochMs | undefined): void {
    this.startedUntil = newer(this.startedUntil, scheduledTime);
  }

  /** Notes what a Job tells about itself: the cache may lose it before the status with it arrives. */
  met({ metadata: { annotations } }: DeepReadonly<Job>, api: CronJobApi): void {
    this.started(parseTime(annotations?.[api.scheduledTimeAnnotation]));
    const trigger = annotations?.[TRIGGER];
    if (trigger !== undefined) addBounded(this.triggers, trigger);
  }

  decided(scheduledTime: EpochMs | undefined): void {
    this.decidedUntil = newer(this.decidedUntil, scheduledTime);
  }

  remember(job: DeepReadonly<Job>, now: number): void {
    this.unseen.set(job.metadata.uid, job);
    this.#unseenSince.set(job.metadata.uid, now);
  }

  /** The cache has shown this Job, or its end. What it shows may be older than what is remembered: an end stays. */
  saw(job: DeepReadonly<Job>, isGone: boolean): void {
    const { uid } = job.metadata;
    const remembered = this.unseen.get(uid);
    if (!isGone && remembered && isFinished(remembered) && !isFinished(job)) return;
    this.#forget(uid);
    if (isGone || this.handedOver.get(uid) === (controllerOf(job) !== undefined)) this.handedOver.delete(uid);
    if (isGone) addBounded(this.gone, uid);
  }

  /** This process made the Job's owner reference say so, or may have changed it; undefined: the cache is right about it. */
  handOver(uid: string, controller: boolean | "unknown" | undefined): void {
    this.handedOver.delete(uid);
    if (controller === undefined) return;
    this.handedOver.set(uid, controller);
    if (this.handedOver.size > REMEMBERED) this.handedOver.delete(this.handedOver.keys().next().value!);
  }

  /** This process deleted it. */
  removed(uid: string): void {
    this.#forget(uid);
    addBounded(this.gone, uid);
    addBounded(this.deleted, uid);
  }

  #forget(uid: string): void {
    this.unseen.delete(uid);
    this.#unseenSince.delete(uid);
  }

  /** Jobs that the cache ought to have shown by now: those between two lists it never shows. */
  longUnseen(now: number): { name: string; uid: string }[] {
    return [...this.unseen.values()].map(({ metadata }) => metadata).filter(({ uid }) => this.isLongUnseen(uid, now));
  }

  isLongUnseen(uid: string, now: number): boolean {
    return now - (this.#unseenSince.get(uid) ?? now) > LONG_MS;
  }

  /** The cached object, or what a write of ours returned as long as the cache is behind that. */
  newest(cached: DeepReadonly<CronJobObject>): DeepReadonly<CronJobObject> {
    if (this.#written?.supersedes.has(cached.metadata.resourceVersion)) return this.#written.object;
    this.#written = undefined;
    return cached;
  }

  /** Every write has `before` as its precondition, so nothing lies between the two. */
  wrote(object: DeepReadonly<CronJobObject>, before: DeepReadonly<CronJobObject>): void {
    if (object.metadata.resourceVersion === before.metadata.resourceVersion) return;
    const supersedes = this.#written?.supersedes ?? new Set();
    this.#written = { object, supersedes: supersedes.add(before.metadata.resourceVersion) };
  }

  /** Notices a change of schedule or zone, or the end of a pause, that happens while this process looks on. */
  observe(cronJob: DeepReadonly<CronJobObject>, { api, now }: { api: CronJobApi; now: EpochMs }): void {
    const suspended = isSuspended(regimeOf(api, cronJob), cronJob);
    if (this.#suspended && !suspended) this.resumedAt = now;
    this.#suspended = suspended;
    const schedule = `${cronJob.spec.timeZone ?? ""} ${cronJob.spec.schedule}`;
    if (this.#schedule !== undefined && this.#schedule !== schedule) {
      this.editedAt = Math.min(now, specWrittenAt(cronJob, ["schedule", "timeZone"]) ?? now);
    }
    this.#schedule = schedule;
  }

  /** Whether it is the first time; then it counts as said. */
  say(what: string): boolean {
    if (this.#said.has(what)) return false;
    addBounded(this.#said, what);
    return true;
  }
}

/** Forgets the oldest for the newest. */
function addBounded(set: Set<string>, value: string): void {
  set.add(value);
  if (set.size > REMEMBERED) set.delete(set.values().next().value!);
}

function newer(a: EpochMs | undefined, b: EpochMs | undefined): EpochMs | undefined {
  return a === undefined || (b !== undefined && b > a) ? b : a;
}
