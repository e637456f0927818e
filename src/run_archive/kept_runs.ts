import type { Clock } from "../base/clock.ts";
import type { RunEvent } from "../cronjob/reporter.ts";
import { loggerFor } from "../telemetry/logging.ts";
import { type KeptRun, type NamedRun, type NewestAsked, RECENT_RUNS } from "../view/kept_runs.ts";
import { isOfSchedule } from "../view/runs.ts";
import { FIRST_INSTANT } from "../base/epoch_ms.ts";
import { ANY, ArchiveTables, type LogRow, type RunRow, type RunsAbout } from "./archive_tables.ts";
import { rowOfEvent } from "./rows.ts";

/** Newest runs that are handed out at once. */
export const MAX_RUNS = 10_000;
/** Runs in which the last success is looked for. */
export const MAX_ENDED = 1_000;
/** An error is not repeated in the log for so long: a disk that is full refuses every change. */
const SILENT_MS = 10 * 60_000;

const logger = loggerFor("history");

/** The runs of an archive: how every archive reads them, and writes them without stopping anything. */
export abstract class KeptRuns implements Disposable {
  readonly name = "history";
  protected readonly tables: ArchiveTables;
  protected readonly clock: Clock;
  /** How often something could not be written. */
  protected failures = 0;
  readonly #saidAt = new Map<string, number>();

  constructor(database: string, clock: Clock) {
    this.tables = new ArchiveTables(database);
    this.clock = clock;
  }

  /** Takes note of what got no Job. */
  takeEvent(event: RunEvent): void {
    const row = rowOfEvent(event, this.clock.now());
    if (row) this.attempt(() => this.tables.putRun(row));
  }

  /**
   * The runs of the CronJobs of a name, newest first: so many at most (none: as many as there may be), or those of one
   * API or one Job.
   */
  runsOf(asked: Pick<RunsAbout, "namespace" | "cronJob"> & Partial<RunsAbout>): KeptRun[] {
    const limit = Math.min(MAX_RUNS, Math.max(0, Math.floor(asked.limit ?? 0)) || MAX_RUNS);
    const about = { ...ANY, ...asked, limit };
    const logs = Map.groupBy(this.tables.logsOfRuns(about), (row) => row.job_uid);
    return this.tables.runsOf(about).map((row) => keptRunOf(row, logs.get(row.id) ?? []));
  }

  /** Returns the newest runs of the CronJobs of a name that were due, or started, in a span: so many at most. */
  runsIn(span: Pick<RunsAbout, "namespace" | "cronJob" | "since" | "until" | "limit">): KeptRun[] {
    return this.tables.runsOf({ ...ANY, ...span }).map((row) => keptRunOf(row, []));
  }

  /**
   * Returns the newest runs of the CronJobs of a name: so many as a row of a list shows, and where none of them succeeded, all
   * since the last that did, of 1,000 at most.
   */
  recentRunsOf(cronJob: Pick<RunsAbout, "namespace" | "cronJob">): KeptRun[] {
    const isSuccess = ({ run }: KeptRun) => isOfSchedule(run) && run.outcome === "Succeeded";
    const about = (limit: number) => ({ ...ANY, ...cronJob, limit });
    const newest = (limit: number) => this.tables.runsOf(about(limit)).map((row) => keptRunOf(row, []));
    const few = newest(RECENT_RUNS);
    if (few.length < RECENT_RUNS || few.some(isSuccess)) return few;
    const many = newest(MAX_ENDED);
    const success = many.findIndex(isSuccess);
    return success < 0 ? many : many.slice(0, success + 1);
  }

  /** Returns the newest runs that a query asks for, of any CronJob. */
  newestRuns({ namespace = "", since, failed, limit }: NewestAsked): NamedRun[] {
    const atMost = Math.min(MAX_RUNS + 1, Math.max(0, Math.floor(Number(limit))) || RECENT_RUNS);
    const about = { namespace, since: Number(since) || FIRST_INSTANT, limit: atMost };
    return this.tables.newestRuns(about, failed === "true")
      .map((row) => ({ ...keptRunOf(row, []), namespace: row.namespace, name: row.cron_job }));
  }

  [Symbol.dispose](): void {
    this.tables[Symbol.dispose]();
  }

  /** Says so in the log, unless that stands there already. */
  protected complain(message: string, error: unknown): void {
    const now = this.clock.monotonic();
    if (now - (this.#saidAt.get(message) ?? -Infinity) < SILENT_MS) return;
    this.#saidAt.set(message, now);
    logger.error(message, { error });
  }

  /** History must not keep runs from starting, nor Pods from going. */
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

function keptRunOf({ api_version: apiVersion, value }: RunRow, logs: readonly LogRow[]): KeptRun {
  return {
    apiVersion,
    run: JSON.parse(value),
    logs: logs.map(({ file, pod, container, restart_count: restartCount }) => ({ file, pod, container, restartCount })),
  };
}
