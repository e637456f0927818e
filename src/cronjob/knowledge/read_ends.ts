import type { EpochMs } from "../../base/epoch_ms.ts";
import type { Child } from "../api/job.ts";
import type { PodEnd } from "../api/types.ts";
import type { PodEnds } from "../decision/input.ts";

/** How long until Pods that could not be read are read again. */
const RETRY_MS = 60_000;

/** How the Pods of failed Jobs ended, as this process has read it. Times are monotonic. */
export class ReadEnds {
  readonly #known = new Map<string, PodEnd>();
  #retryFrom: number | undefined;

  /** Returns what is known of these Jobs, which are all that there are, when the wall clock reads `now`. */
  knownAt(now: EpochMs, monotonic: number, jobs: readonly Child[]): PodEnds {
    const uids = new Set(jobs.map(({ metadata }) => metadata.uid));
    for (const uid of this.#known.keys()) if (!uids.has(uid)) this.#known.delete(uid);
    const leftMs = (this.#retryFrom ?? monotonic) - monotonic;
    return { known: new Map(this.#known), ...(leftMs > 0 && { retryAt: now + leftMs }) };
  }

  note(uid: string, end: PodEnd): void {
    this.#known.set(uid, end);
  }

  /** Notes that the Pods of a Job could not be read. */
  noteUnread(monotonic: number): void {
    this.#retryFrom = monotonic + RETRY_MS;
  }
}
