import type { EpochMs } from "../../schedule/epoch_ms.ts";
import type { Child } from "../api/job.ts";
import type { PodKnowledge } from "../decision/input.ts";

/** What this process has seen of the Pods of one CronJob's active Jobs. It begins anew with each process. */
export class PodMemory {
  #known: PodKnowledge = { started: new Set(), timedOut: new Set(), watchedSince: new Map() };

  /** Replaced as a whole when something changes. */
  get known(): PodKnowledge {
    return this.#known;
  }

  /** Notes how the Pods of these Jobs, which are all that there are, stand now. */
  note(children: readonly Child[], now: EpochMs): void {
    const { started, timedOut, watchedSince } = this.#known;
    const active = children.filter(({ state }) => state === "active");
    const isKnown = ({ podsSeen, metadata: { uid } }: Child) =>
      watchedSince.has(uid) && (podsSeen !== "some" || started.has(uid));
    if (active.length === watchedSince.size && active.every(isKnown)) return;
    const uids = active.map(({ metadata }) => metadata.uid);
    this.#known = {
      started: new Set(
        active.filter(({ podsSeen, metadata: { uid } }) => podsSeen === "some" || started.has(uid))
          .map(({ metadata }) => metadata.uid),
      ),
      timedOut: new Set(uids.filter((uid) => timedOut.has(uid))),
      watchedSince: new Map(uids.map((uid) => [uid, watchedSince.get(uid) ?? now])),
    };
  }

  /** Called with each version of a Job: its Pods may have started and stopped again before the next look. */
  noteJob({ podsSeen, metadata: { uid } }: Child): void {
    if (podsSeen !== "some" || this.#known.started.has(uid)) return;
    this.#known = { ...this.#known, started: new Set([...this.#known.started, uid]) };
  }

  /** The Job is being ended for it. */
  noteTimedOut(uid: string): void {
    this.#known = { ...this.#known, timedOut: new Set([...this.#known.timedOut, uid]) };
  }
}
