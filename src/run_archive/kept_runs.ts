import type { Clock } from "../base/clock.ts";
import type { RunEvent } from "../cronjob/reporter.ts";
import { loggerFor } from "../telemetry/logging.ts";
import { type KeptRun, MAX_RUNS, MAX_SEARCHED, RECENT_RUNS, type RunsAsked } from "../view/kept_runs.ts";
import { isOfSchedule } from "../view/runs.ts";
import { splitKey } from "../kube/object.ts";
import { ArchiveTables, type LogRow, type RunRow, type RunsAbout } from "./archive_tables.ts";
import { keepReplaced } from "./job_runs.ts";
import { rowOfEvent } from "./rows.ts";

/** How long an error is not repeated in the log: a disk that is full refuses every change. */
const SILENT_MS = 10 * 60_000;

const logger = loggerFor("history");

/** The runs of an archive: how every archive reads them, and writes them without stopping anything. */
export abstract class KeptRuns implements Disposable {
  readonly name = "history";
  protected readonly tables: ArchiveTables;
  protected readonly clock: Clock;
  /** The number of failed reads and writes. */
  protected failures = 0;
  readonly #saidAt = new Map<string, number>();

  constructor(database: string, clock: Clock) {
    this.tables = new ArchiveTables(database);
    this.clock = clock;
  }

  /** Takes note of runs without a Job, and of replaced runs. */
  takeEvent(event: RunEvent): void {
    if (event.outcome === "replaced") this.attempt(() => keepReplaced(this.tables, event));
    const row = rowOfEvent(event);
    if (row) this.attempt(() => this.tables.putRun(row));
  }

  /** Returns the runs that are asked for, CronJob by CronJob. */
  runs({ cronJobs = [], limit, recent = false, ...asked }: RunsAsked): KeptRun[] {
    const about = { ...asked, limit: Math.min(MAX_RUNS, Math.max(0, Math.floor(limit ?? 0)) || MAX_RUNS) };
    const chosen = cronJobs.map(splitKey).map(({ namespace, name: cronJob }) => ({ ...about, namespace, cronJob }));
    return (chosen.length === 0 ? [about] : chosen).flatMap((about) =>
      recent ? this.#recent(about) : this.#runs(about)
    );
  }

  #recent(about: RunsAbout): KeptRun[] {
    const isSuccess = ({ run }: KeptRun) => isOfSchedule(run) && run.outcome === "Succeeded";
    const few = this.#runs({ ...about, limit: RECENT_RUNS });
    if (few.length < RECENT_RUNS || few.some(isSuccess)) return few;
    const many = this.#runs({ ...about, limit: MAX_SEARCHED });
    const success = many.findIndex(isSuccess);
    return success < 0 ? many : many.slice(0, success + 1);
  }

  #runs(about: RunsAbout): KeptRun[] {
    const rows = this.tables.runs(about);
    const logs = Map.groupBy(this.tables.logsOf(rows), (row) => row.job_uid);
    return rows.map((row) => keptRunOf(row, logs.get(row.id) ?? []));
  }

  [Symbol.dispose](): void {
    this.tables[Symbol.dispose]();
  }

  /** Logs an error, unless the same message was logged lately. */
  protected complain(message: string, error: unknown): void {
    const now = this.clock.monotonic();
    if (now - (this.#saidAt.get(message) ?? -Infinity) < SILENT_MS) return;
    this.#saidAt.set(message, now);
    logger.error(message, { error });
  }

  /** Returns the result of `action`, or undefined if it fails: history must not keep runs from starting, nor Pods from going. */
  protected attempt<Value>(action: () => Value): Value | undefined {
    try {
      return action();
    } catch (error) {
      this.failures++;
      this.complain("Cannot keep the history of runs: {error}", error);
      return undefined;
    }
  }
}

function keptRunOf({ api_version: apiVersion, namespace, cron_job, value }: RunRow, logs: readonly LogRow[]): KeptRun {
  return {
    apiVersion,
    namespace,
    name: cron_job,
    run: JSON.parse(value),
    logs: logs.map(({ file, pod, container, restart_count: restartCount }) => ({ file, pod, container, restartCount })),
  };
}
