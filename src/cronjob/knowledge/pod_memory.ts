import type { EpochMs } from "../../base/epoch_ms.ts";
import type { Child } from "../api/job.ts";
import type { PodKnowledge } from "../decision/input.ts";

/**
 * The Pods of one CronJob's active Jobs, as this process has seen them. It begins anew with each process. Times are
 * monotonic: a clock that is set makes no wait longer, or shorter.
 */
export class PodMemory {
  readonly #started = new Set<string>();
  readonly #timedOut = new Set<string>();
  readonly #watchedSince = new Map<string, number>();
  #forbidden: string | undefined;

  /** Returns what is known when the wall clock reads `now`. */
  knownAt(now: EpochMs, monotonic: number): PodKnowledge {
    return {
      forbidden: this.#forbidden,
      started: new Set(this.#started),
      timedOut: new Set(this.#timedOut),
      watchedSince: new Map(this.#watchedSince.entries().map(([uid, since]) => [uid, now - (monotonic - since)])),
    };
  }

  /** Notes how the Pods of these Jobs, which are all that there are, stand now. */
  note(children: readonly Child[], monotonic: number): void {
    const active = children.filter(({ state }) => state === "active");
    const uids = new Set(active.map(({ metadata }) => metadata.uid));
    for (const known of [this.#started, this.#timedOut, this.#watchedSince]) {
      for (const uid of known.keys()) if (!uids.has(uid)) known.delete(uid);
    }
    for (const child of active) {
      const { uid } = child.metadata;
      if (!this.#watchedSince.has(uid)) this.#watchedSince.set(uid, monotonic);
      this.noteJob(child);
    }
  }

  /** Called with each version of a Job: its Pods may have started and stopped again before the next look. */
  noteJob({ podsSeen, metadata: { uid } }: Child): void {
    if (podsSeen === "some") this.#started.add(uid);
  }

  /** The Job is being ended for it. */
  noteTimedOut(uid: string): void {
    this.#timedOut.add(uid);
    this.#forbidden = undefined;
  }

  /** No Job may be ended for it. */
  noteForbidden(message: string): void {
    this.#forbidden = message;
  }
}
