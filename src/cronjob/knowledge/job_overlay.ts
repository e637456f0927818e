import type { Unread } from "../../kube/client.ts";
import { controllerOf } from "../../kube/object.ts";
import type { Job } from "../../kube/resource.ts";
import type { Child } from "../api/job.ts";

/** How many Jobs of a kind are remembered of one CronJob. */
const REMEMBERED = 200;
const NONE: ReadonlySet<string> = new Set();
/** After so long without a Job in the cache, the API server is asked whether it still exists. */
const LONG_MS = 30_000;

/**
 * The Jobs of one CronJob as this process knows them and the cache does not show yet. With it no decision rests on Jobs
 * older than this process's own last act. Mostly there are none: a collection without entries is dropped, as all of them
 * would be a fifth of what a CronJob takes in memory.
 */
export class JobOverlay {
  /** Jobs that exist, created by us or found by asking, by UID; and since when they count, on the monotonic clock. */
  #unseen: Map<string, { child: Child; since: number }> | undefined;
  /** Answers to creations, by the Job's name: read only if the cache is slower than the next decision. */
  #answers: Map<string, Unread<Job>> | undefined;
  /** UIDs of Jobs whose deletion was accepted, or seen, or that were asked for in vain; and when, on the monotonic clock. */
  #gone: Map<string, number> | undefined;
  #deleted: ReadonlySet<string> = NONE;
  #doubtful: Set<string> | undefined;
  #handedOver: ReadonlyMap<string, boolean | "unknown"> | undefined;

  /** UIDs of Jobs that this process deleted. */
  get deleted(): ReadonlySet<string> {
    return this.#deleted;
  }

  /** Names of Jobs whose creation may have taken effect, though its answer never came. */
  get doubtful(): ReadonlySet<string> {
    return this.#doubtful ?? NONE;
  }

  /** The value of `controller` that owner references were given, by UID of the Job. */
  get handedOver(): ReadonlyMap<string, boolean | "unknown"> | undefined {
    return this.#handedOver;
  }

  get unseen(): readonly Child[] {
    return Array.from(this.#unseen?.values() ?? [], ({ child }) => child);
  }

  isUnseen(uid: string): boolean {
    return this.#unseen?.has(uid) ?? false;
  }

  isGone(uid: string): boolean {
    return this.#gone?.has(uid) ?? false;
  }

  /** Returns whether the cache ought to have shown this Job by now: one that lived between two lists it never shows. */
  isLongUnseen(uid: string, now: number): boolean {
    const entry = this.#unseen?.get(uid);
    return entry !== undefined && now - entry.since > LONG_MS;
  }

  /** A creation leaves: until its answer comes, the Job may exist or not. */
  noteCreation(jobName: string): void {
    (this.#doubtful ??= new Set()).add(jobName);
  }

  /** Whether the Job of this name exists is known. */
  noteCertain(jobName: string): void {
    this.#doubtful = without(this.#doubtful, jobName);
  }

  noteAnswer(jobName: string, answer: Unread<Job>): void {
    this.#doubtful = without(this.#doubtful, jobName);
    (this.#answers ??= new Map()).set(jobName, answer);
  }

  /** Returns an answer to a creation that nothing has been made of yet, once. */
  takeAnswer(): readonly [jobName: string, answer: Unread<Job>] | undefined {
    const [entry] = this.#answers ?? [];
    if (entry) this.#answers = without(this.#answers, entry[0]);
    return entry;
  }

  /** Counts on a Job from now on, whether the cache shows it or not. */
  noteExisting(child: Child, now: number): void {
    const { uid } = child.metadata;
    if (!this.isGone(uid)) (this.#unseen ??= new Map()).set(uid, { child, since: now });
  }

  /**
   * The cache shows this version of a Job, or its end. Returns whether it is no news. What the cache shows may be older
   * than what is known: an end stays.
   */
  noteCached(child: Child, { isGone, now }: { isGone: boolean; now: number }): boolean {
    const { name, uid, resourceVersion } = child.metadata;
    // It says what the answer to its creation says, or more.
    this.#answers = without(this.#answers, name);
    const known = this.#unseen?.get(uid)?.child;
    if (!isGone && known && known.state !== "active" && child.state === "active") return false;
    this.#unseen = without(this.#unseen, uid);
    if (isGone) this.noteHandOver(uid, undefined);
    else this.noteOwner(child);
    if (isGone) this.noteGone(uid, now);
    return !isGone && known?.metadata.resourceVersion === resourceVersion;
  }

  /** The cache shows whom the Job's owner references name: what was made of them is remembered only until then. */
  noteOwner(child: Child): void {
    const { uid } = child.metadata;
    if (this.#handedOver?.get(uid) === (controllerOf(child) !== undefined)) this.noteHandOver(uid, undefined);
  }

  /** This Job no longer exists, or is on its way out. */
  noteGone(uid: string, now: number): void {
    this.#unseen = without(this.#unseen, uid);
    const gone = this.#gone ??= new Map();
    gone.set(uid, now);
    if (gone.size > REMEMBERED) gone.delete(gone.keys().next().value!);
  }

  /** This process deleted the Job. */
  noteDeleted(uid: string, now: number): void {
    this.noteGone(uid, now);
    this.#deleted = new Set([...this.#deleted, uid].slice(-REMEMBERED));
  }

  /** The Job's owner reference was made to say so, or may have been; undefined: the cache is right about it. */
  noteHandOver(uid: string, controller: boolean | "unknown" | undefined): void {
    if (controller === undefined && !this.#handedOver?.has(uid)) return;
    const handedOver = new Map(this.#handedOver);
    handedOver.delete(uid);
    if (controller !== undefined) handedOver.set(uid, controller);
    if (handedOver.size > REMEMBERED) handedOver.delete(handedOver.keys().next().value!);
    this.#handedOver = handedOver.size > 0 ? handedOver : undefined;
  }

  /** Forgets Jobs that are long gone, but for those that the status or the cache still shows. */
  forgetGone(isShown: (uid: string) => boolean, now: number): void {
    // The cache may be so far behind that it shows them only now.
    for (const [uid, since] of this.#gone ?? []) {
      if (now - since > LONG_MS && !isShown(uid)) this.#gone = without(this.#gone, uid);
    }
    if (this.#deleted.size === 0) return;
    const deleted = this.#deleted.intersection(this.#gone ?? NONE);
    this.#deleted = deleted.size > 0 ? deleted : NONE;
  }
}

/** Takes an entry out. Returns undefined where none is left. */
function without<Of extends { delete(key: string): boolean; readonly size: number }>(
  entries: Of | undefined,
  key: string,
): Of | undefined {
  entries?.delete(key);
  return entries?.size ? entries : undefined;
}
