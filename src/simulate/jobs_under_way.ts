import type { Child } from "../cronjob/api/job.ts";
import type { EpochMs } from "../base/epoch_ms.ts";
import type { Run } from "./runs.ts";

/** A Job that is under way. */
export interface ActiveJob {
  readonly child: Child;
  /** Undefined for a run by hand. */
  readonly scheduledTime: EpochMs | undefined;
  readonly startsAt: EpochMs;
  readonly endsAt: EpochMs;
}

/** The Jobs of one CronJob that are under way, and the runs that are over. Every run succeeds. */
export class JobsUnderWay {
  #ended: Run[] = [];
  #active: readonly ActiveJob[];

  constructor(active: readonly ActiveJob[]) {
    this.#active = active;
  }

  /** In the order of their starts. */
  get active(): readonly ActiveJob[] {
    return this.#active;
  }

  get children(): readonly Child[] {
    return this.#active.map(({ child }) => child);
  }

  /** When they end. */
  get ends(): readonly EpochMs[] {
    return this.#active.map(({ endsAt }) => endsAt);
  }

  /** Returns the runs that are over, once. */
  takeEnded(): readonly Run[] {
    const ended = this.#ended;
    this.#ended = [];
    return ended;
  }

  start(job: ActiveJob): void {
    this.#active = [...this.#active, job];
  }

  /** Ends those whose time is over. Returns them. */
  endUntil(now: EpochMs): readonly ActiveJob[] {
    const ending = this.#active.filter(({ endsAt }) => endsAt <= now);
    if (ending.length === 0) return ending;
    this.#active = this.#active.filter(({ endsAt }) => endsAt > now);
    for (const { child: _, ...run } of ending) this.#ended.push({ ...run, isReplaced: false });
    return ending;
  }

  /** Ends those that a later run takes the place of. */
  replace(children: readonly Child[], now: EpochMs): void {
    if (children.length === 0) return;
    const uids = new Set(children.map(({ metadata }) => metadata.uid));
    const isReplaced = ({ child }: ActiveJob) => uids.has(child.metadata.uid);
    for (const { scheduledTime, startsAt } of this.#active.filter(isReplaced)) {
      this.#ended.push({ scheduledTime, startsAt, endsAt: now, isReplaced: true });
    }
    this.#active = this.#active.filter((job) => !isReplaced(job));
  }
}
