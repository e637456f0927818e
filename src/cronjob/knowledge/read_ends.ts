import type { EpochMs } from "../../base/epoch_ms.ts";
import type { Child, ChildMeta } from "../api/job.ts";
import type { PodEnd } from "../api/types.ts";
import type { PodEnds } from "../decision/input.ts";

/** How long until Pods that could not be read are read again. */
const RETRY_MS = 60_000;

/**
 * Shared by all CronJobs: where an API server says nothing of the Pods of a namespace, not each of its CronJobs waits for
 * it. Times are monotonic.
 */
export class PodReads {
  readonly #restUntil = new Map<string | undefined, number>();

  /** Notes that nothing answered. */
  noteSilence({ namespace }: Pick<ChildMeta, "namespace">, monotonic: number): void {
    this.#restUntil.set(namespace, monotonic + RETRY_MS);
  }

  /** Returns what is known of these Jobs, which are all that a CronJob has, when the wall clock reads `now`. */
  knownAt(
    now: EpochMs,
    monotonic: number,
    { namespace, ends, jobs }: {
      readonly namespace: string | undefined;
      readonly ends: ReadEnds | undefined;
      readonly jobs: readonly Child[];
    },
  ): PodEnds {
    const leftMs = Math.max(this.#restUntil.get(namespace) ?? -Infinity, ends?.retryFrom ?? -Infinity) - monotonic;
    return { known: ends?.knownOf(jobs) ?? NOTHING_READ, ...(leftMs > 0 && { retryAt: now + leftMs }) };
  }
}

const NOTHING_READ: ReadonlyMap<string, PodEnd> = new Map();

/** How the Pods of a CronJob's finished Jobs ended, as this process has read it. Times are monotonic. */
export class ReadEnds {
  readonly #known = new Map<string, PodEnd>();
  retryFrom: number | undefined;

  /** Returns what is known of these Jobs, which are all that there are. */
  knownOf(jobs: readonly Child[]): ReadonlyMap<string, PodEnd> {
    const uids = new Set(jobs.map(({ metadata }) => metadata.uid));
    for (const uid of this.#known.keys()) if (!uids.has(uid)) this.#known.delete(uid);
    return new Map(this.#known);
  }

  note(uid: string, end: PodEnd): void {
    this.#known.set(uid, end);
  }

  /** Notes that the Pods of a Job could not be read. */
  noteUnread(monotonic: number): void {
    this.retryFrom = monotonic + RETRY_MS;
  }
}
