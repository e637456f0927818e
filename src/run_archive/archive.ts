import type { ChildCache } from "../cronjob/child_cache.ts";
import type { PodLogs } from "../kubelet/files/pod_directory.ts";
import type { CronJobName } from "../cronjob/observer.ts";
import type { RememberedRun, RunHistory } from "../notifications/ended_run.ts";
import { readyOrAborted } from "../base/abort.ts";
import type { Clock } from "../base/clock.ts";
import type { Runnable } from "../runtime/runnable.ts";
import type { EpochMs } from "../base/epoch_ms.ts";
import type { Watched } from "../view/watched.ts";
import type { RunsAbout } from "./archive_tables.ts";
import { endRunsWithoutJob, keepJob } from "./job_runs.ts";
import { MAX_RUNS, MAX_SEARCHED } from "../view/kept_runs.ts";
import { KeptRuns } from "./kept_runs.ts";
import { LogFiles } from "./log_files.ts";
import { rememberedRunOf } from "./rows.ts";

/** How long runs are kept, and how much of their logs. */
export interface KeepLimits {
  readonly runsMs: number;
  readonly logBytes: number;
}

export interface RunArchiveOptions {
  /** The database of the objects, or `:memory:`. */
  readonly database: string;
  /** The folder for logs. */
  readonly folder: string;
  readonly clock: Clock;
  readonly limits: KeepLimits;
}

/** The end of a log's name that a container engine has written. */
const CRI = "_cri";

const PRUNE_MS = 60 * 60_000;

/**
 * Keeps runs and their logs after their Jobs and Pods are gone.
 *
 * Flow
 * 1. A run is written down when its Job is first seen, and again whenever the Job says something new.
 * 2. When the kubelet removes a Pod's files, the logs are written down, then moved here.
 * 3. Runs and logs that are too old go, and the oldest logs where they take too much. Those of an active run stay.
 *
 * Guarantees: a SIGKILL at any moment leaves each log readable, here or with its Pod, and at the next start each Job that is
 * still there is written down.
 *
 * Caveats: how a Job ended that was deleted before its end is not known.
 */
export class RunArchive extends KeptRuns implements Runnable, RunHistory {
  readonly #files: LogFiles;
  readonly #limits: KeepLimits;
  /** When this archive was made. */
  readonly #begin: EpochMs;
  #jobs: ChildCache | undefined;
  #logBytes: number;

  constructor({ database, folder, clock, limits }: RunArchiveOptions) {
    super(database, clock);
    this.#files = new LogFiles(folder);
    this.#limits = limits;
    // A crash between two steps leaves files without rows, and rows without files.
    for (const file of this.#files.sweep(this.tables.logFiles())) this.tables.removeLog(file);
    this.#logBytes = this.tables.logBytes();
    const [first] = this.tables.watched();
    this.#begin = first?.since ?? clock.now();
    if (!first) this.tables.putWatched({ since: this.#begin, until: this.#begin });
  }

  /** Has the runs of these Jobs written down, from {@linkcode run} on. */
  follow(jobs: ChildCache): void {
    this.#jobs = jobs;
  }

  async run(signal: AbortSignal): Promise<void> {
    const jobs = this.#jobs;
    using _following = jobs?.onChange((change) => this.attempt(() => keepJob(this.tables, change, "JobDeleted")));
    const settled = jobs && readyOrAborted([jobs], signal).then((isReady) => {
      if (isReady) this.attempt(() => endRunsWithoutJob(this.tables, jobs));
    });
    while (!signal.aborted) {
      this.attempt(() => this.prune());
      await this.clock.sleep(PRUNE_MS, signal).catch(() => {});
    }
    await settled;
  }

  /** Returns a span without gaps, as no run takes place while this program is away. */
  watched(): Watched {
    return { since: Math.max(this.#begin, this.clock.now() - this.#limits.runsMs), gaps: [] };
  }

  /** Takes over the logs of a Pod that is gone. May be called again. */
  keepLogs({ pod, jobUid, runs }: PodLogs): void {
    if (jobUid === undefined) return;
    this.attempt(() => {
      for (const { container, files } of runs) {
        // Neither a UID nor the name of a container has an underscore.
        const file = `${pod.uid}_${container}_${files.restartCount}${files.logFormat === "cri" ? CRI : ""}`;
        const about = { file, job_uid: jobUid, pod: pod.name, container, restart_count: files.restartCount };
        const before = this.tables.log(file)?.bytes ?? 0;
        const at = this.clock.now();
        // The row first, so that no file is left without one.
        this.tables.putLog({ ...about, at, bytes: before });
        const bytes = this.#files.take(file, files);
        if (bytes === 0) this.tables.removeLog(file);
        else this.tables.putLog({ ...about, at, bytes });
        this.#logBytes += bytes - before;
      }
      this.#removeLogs();
    });
  }

  failuresSince(since: EpochMs): RememberedRun[] {
    // A run that took longer than the time since then is left out.
    const dueSince = since - (this.clock.now() - since);
    return this.#remembered({ since: dueSince, failed: true, limit: MAX_RUNS });
  }

  endedRunsOf({ apiVersion: api, namespace, name: cronJob }: CronJobName, since: EpochMs): RememberedRun[] {
    return this.#remembered({ namespace, cronJob, api, limit: MAX_SEARCHED })
      .filter(({ createdAt }) => createdAt >= since);
  }

  #remembered(about: RunsAbout): RememberedRun[] {
    return this.attempt(() => this.tables.runs(about))?.flatMap((row) => rememberedRunOf(row) ?? []) ?? [];
  }

  /** Returns a log, and whether a container engine has written it; undefined where none of that name is kept. */
  openLog(file: string) {
    return this.tables.log(file) && { log: this.#files.open(file), isCri: file.endsWith(CRI) };
  }

  /** Removes runs and logs that are too old, or too much. */
  prune(): void {
    const before = this.clock.now() - this.#limits.runsMs;
    this.tables.removeRunsBefore(before);
    this.#removeLogs(before);
  }

  /** Removes logs from before an instant, and the oldest while they are too much. */
  #removeLogs(before: EpochMs = -Infinity): void {
    const isTooMuch = () => this.#logBytes > this.#limits.logBytes;
    while (before > -Infinity || isTooMuch()) {
      const oldest = this.tables.oldestLogs(100);
      if (oldest.length === 0) return;
      for (const { file, at, bytes } of oldest) {
        if (at >= before && !isTooMuch()) return;
        // The file first: a row without a file is harmless, and is met again.
        this.#files.remove(file);
        this.tables.removeLog(file);
        this.#logBytes -= bytes;
      }
    }
  }
}
