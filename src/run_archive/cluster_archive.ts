import { readyOrAborted } from "../base/abort.ts";
import { arrivalsRead, type Clock } from "../base/clock.ts";
import { type EpochMs, FIRST_INSTANT, LAST_INSTANT } from "../base/epoch_ms.ts";
import type { CronJob } from "../cronjob/api/cron_job.ts";
import { FLAVOURS } from "../cronjob/api/flavour.ts";
import type { ChildCache } from "../cronjob/child_cache.ts";
import type { RunEvent } from "../cronjob/reporter.ts";
import { apiVersionOf } from "../kube/resource.ts";
import type { Cache } from "../runtime/cache.ts";
import type { Runnable } from "../runtime/runnable.ts";
import type { Watched } from "../view/watched.ts";
import { endRunsWithoutJob, keepJob, keepRecords } from "./job_runs.ts";
import { KeptRuns } from "./kept_runs.ts";
import { watchedUntil } from "./watched.ts";

export interface ClusterArchiveOptions {
  readonly database: string;
  readonly clock: Clock;
  readonly jobs: ChildCache;
  /** How long runs are kept. */
  readonly runsMs: number;
  /** How large the database may grow. */
  readonly bytes: number;
}

/** How much of the time that was watched a SIGKILL makes a gap of. */
const MARK_MS = 5_000;
/** Marks between two removals of what is too old, or too much. */
const MARKS_PER_PRUNE = 60;
/** CronJobs whose records are read at once, while runs wait to start. */
const BATCH = 50;

/**
 * Keeps the runs that a replica sees, whether it leads or not, after their Jobs are gone.
 *
 * Flow
 * 1. A run is written down when its Job is first seen, and again whenever that says something new.
 * 2. A run that got no Job is written down as a status records it, or as this replica reports it.
 * 3. Whenever watching begins anew, statuses fill in the runs whose Jobs are gone.
 *
 * Guarantees: each change is handed to the operating system before the next is taken, so a SIGKILL loses no run. Times in
 * which Jobs were not watched are gaps, and a SIGKILL makes a gap of the last 5 s at most.
 *
 * Caveats: of a Job that came and went in a gap nothing is known but what a status records, and of one that was deleted
 * before it ended nothing says how it ended. No status of `batch/v1` records a run without a Job: only the replica that
 * leads keeps those.
 */
export class ClusterArchive extends KeptRuns implements Runnable {
  readonly #options: ClusterArchiveOptions;
  readonly #followed = new Set<Cache<CronJob>>();
  /** Undefined while it does not watch. */
  #since: EpochMs | undefined;
  /** The CronJobs whose status may record a run that nothing here has seen. */
  readonly #unread = new Set<CronJob>();

  /** Opens the database, which {@linkcode run} closes: in between the process needs no permission to write. */
  constructor(options: ClusterArchiveOptions) {
    super(options.database, options.clock);
    this.#options = options;
  }

  /** Writes down also what these CronJobs record, until the result is disposed of. */
  follow(cronJobs: Cache<CronJob>): Disposable {
    this.#followed.add(cronJobs);
    const following = cronJobs.onChange(({ type, object }) => {
      if (type === "added") this.#unread.add(object as CronJob);
      else if (type === "modified") this.#keepRecords(object as CronJob, { onlyRefused: true });
    });
    return {
      [Symbol.dispose]: () => {
        following[Symbol.dispose]();
        this.#followed.delete(cronJobs);
      },
    };
  }

  /** Takes note of what got no Job, and no status records. */
  override takeEvent(event: RunEvent): void {
    const { openStatus } = FLAVOURS.find(({ resource }) => apiVersionOf(resource) === event.apiVersion) ?? {};
    if (!openStatus) super.takeEvent(event);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { jobs } = this.#options;
    using _tables = this.tables;
    using _following = jobs.onChange((change) => this.attempt(() => keepJob(this.tables, change)));
    if (await readyOrAborted([jobs], signal)) await this.#watch(signal);
  }

  /** Since when this replica has watched, and when it did not. */
  watched(): Watched {
    const now = this.clock.now();
    if (this.#options.jobs.error === undefined) this.#mark(now);
    return watchedUntil(now, this.tables.watchedIn({ since: FIRST_INSTANT, until: LAST_INSTANT }));
  }

  /** Removes what is too old, then the oldest runs of what is too much. Returns since when all is kept that was watched. */
  prune(): EpochMs {
    const { runsMs, bytes } = this.#options;
    let since = this.clock.now() - runsMs;
    this.tables.removeRunsBefore(since);
    while (this.tables.bytes() > bytes) {
      const removed = this.tables.removeOldestRuns(1_000);
      if (removed === undefined) break;
      since = Math.max(since, removed + 1);
    }
    this.tables.removeWatchedBefore(since);
    return since;
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const { jobs } = this.#options;
    for (let marks = 0; !signal.aborted; marks++) {
      if (jobs.error !== undefined) this.#since = undefined;
      else {
        this.#since ??= this.#begin();
        await this.#readRecords(signal);
      }
      this.attempt(() => {
        const keptSince = marks % MARKS_PER_PRUNE === 0 ? this.prune() : FIRST_INSTANT;
        if (this.#since !== undefined) this.#since = Math.max(this.#since, keptSince);
        this.#mark(this.clock.now());
      });
      await this.clock.sleep(MARK_MS, signal).catch(() => {/* it ends */});
    }
    if (jobs.error === undefined) this.attempt(() => this.#mark(this.clock.now()));
  }

  #mark(until: EpochMs): void {
    if (this.#since !== undefined) this.tables.putWatched({ since: this.#since, until });
  }

  /** Watching begins anew: what happened before shows in what is there. Returns the instant. */
  #begin(): EpochMs {
    this.attempt(() => endRunsWithoutJob(this.tables, this.#options.jobs));
    for (const cronJobs of this.#followed) {
      for (const cronJob of cronJobs.store.values()) this.#unread.add(cronJob as CronJob);
    }
    return this.clock.now();
  }

  async #readRecords(signal: AbortSignal): Promise<void> {
    let read = 0;
    for (const cronJob of this.#unread) {
      if (signal.aborted) return;
      this.#unread.delete(cronJob);
      this.#keepRecords(cronJob, { onlyRefused: false });
      if (++read % BATCH === 0) await arrivalsRead();
    }
  }

  #keepRecords(cronJob: CronJob, { onlyRefused }: { readonly onlyRefused: boolean }): void {
    this.attempt(() => keepRecords(this.tables, cronJob, { jobs: this.#options.jobs, onlyRefused }));
  }
}
