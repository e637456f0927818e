import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { EpochMs } from "../base/epoch_ms.ts";
import { transact } from "../base/transaction.ts";
import { type RunsAsked, TROUBLES } from "../view/kept_runs.ts";
import type { Span } from "../view/watched.ts";

/** One run, as it is kept. */
export interface RunRow {
  /** The Job's UID; for a run without one its CronJob and its time. */
  readonly id: string;
  readonly api_version: string;
  readonly namespace: string;
  /** Its CronJob's name. */
  readonly cron_job: string;
  /** Its scheduled time, or its start. */
  readonly at: EpochMs;
  /** Whether the run has ended. */
  readonly ended: 0 | 1;
  /** The `RunView` as JSON. */
  readonly value: string;
}

/** The place of a run in the order of times. */
export interface RunPlace {
  readonly at: EpochMs;
  /** The `rowid` of its row, which orders runs of one instant. */
  readonly number: number;
}

/** The log of one start of a container. */
export interface LogRow {
  readonly file: string;
  readonly job_uid: string;
  readonly pod: string;
  readonly container: string;
  readonly restart_count: number;
  readonly at: EpochMs;
  /** The size of the file on disk. */
  readonly bytes: number;
}

/** A run that waited is one that was skipped, unless it has a Job by now. */
const IS_TROUBLE = `json_extract(value, '$.outcome') IN (${["Waiting", ...TROUBLES].map((outcome) => `'${outcome}'`)})`;

const HAS_JOB = (run: string) => `json_extract(${run}.value, '$.job') IS NOT NULL`;

const STAYED_TROUBLE = `${IS_TROUBLE} AND (${HAS_JOB("run")} OR NOT EXISTS (SELECT 1 FROM kept_runs AS later
  WHERE later.namespace = run.namespace AND later.cron_job = run.cron_job AND later.at = run.at
  AND later.api_version = run.api_version AND ${HAS_JOB("later")}))`;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS kept_runs (
    id TEXT PRIMARY KEY,
    api_version TEXT NOT NULL,
    namespace TEXT NOT NULL,
    cron_job TEXT NOT NULL,
    at INTEGER NOT NULL,
    ended INTEGER NOT NULL,
    value TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS kept_runs_by_name ON kept_runs (namespace, cron_job, at);
  CREATE INDEX IF NOT EXISTS kept_runs_by_time ON kept_runs (at);
  CREATE INDEX IF NOT EXISTS kept_runs_by_namespace ON kept_runs (namespace, at);
  CREATE INDEX IF NOT EXISTS kept_troubles ON kept_runs (at, namespace) WHERE ${IS_TROUBLE};
  CREATE INDEX IF NOT EXISTS kept_runs_under_way ON kept_runs (at) WHERE ended = 0;
  CREATE TABLE IF NOT EXISTS kept_logs (
    file TEXT PRIMARY KEY,
    job_uid TEXT NOT NULL,
    pod TEXT NOT NULL,
    container TEXT NOT NULL,
    restart_count INTEGER NOT NULL,
    at INTEGER NOT NULL,
    bytes INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS kept_logs_by_job ON kept_logs (job_uid);
  CREATE INDEX IF NOT EXISTS kept_logs_by_time ON kept_logs (at);
  CREATE TABLE IF NOT EXISTS watched (since INTEGER PRIMARY KEY, until INTEGER NOT NULL) STRICT;
`;

/** SQLite's `LIMIT` for all rows. */
const NO_LIMIT = -1;

/** A choice among runs, of one CronJob at most: a field that is absent leaves out none. */
export interface RunsAbout extends Omit<RunsAsked, "cronJobs" | "recent"> {
  readonly cronJob?: string;
  readonly limit: number;
}

const CONDITIONS = {
  namespace: "namespace = :namespace",
  cronJob: "cron_job = :cronJob",
  api: "api_version = :api",
  job: "json_extract(value, '$.job') = :job",
  since: "at >= :since",
  until: "at <= :until",
} as const;

/**
 * The tables of an archive: runs, logs, and the times that were watched. Those of `standalone` are in the file of the objects,
 * so that a backup has them too. Knows rows alone; everything is synchronous.
 */
export class ArchiveTables implements Disposable {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  /** @param path of a database that the API server has opened before, or `:memory:` */
  constructor(path: string) {
    this.#db = new DatabaseSync(path);
    // The Jobs that still exist fill in the rows that a power failure takes.
    this.#db.exec("PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;");
    // 2,000 pages are 8 MiB: the longer the log, the less often a page that many runs change is copied into the database.
    this.#db.exec("PRAGMA wal_autocheckpoint = 2000;");
    this.#db.exec(SCHEMA);
  }

  /** Writes all that `body` writes, or nothing. */
  atOnce(body: () => void): void {
    transact(this.#db, body);
  }

  /** Writes a run. A run that is known keeps its time, so that most indexes stay as they are. */
  putRun(row: RunRow): void {
    this.#run(
      `INSERT INTO kept_runs (id, api_version, namespace, cron_job, at, ended, value)
       VALUES (:id, :api_version, :namespace, :cron_job, :at, :ended, :value)
       ON CONFLICT (id) DO UPDATE SET ended = :ended, value = :value`,
      { ...row },
    );
  }

  run(id: string): RunRow | undefined {
    return this.#all<RunRow>("SELECT * FROM kept_runs WHERE id = :id", { id })[0];
  }

  /** Returns the chosen runs, newest first. */
  runs({ failed, limit, ...about }: RunsAbout): RunRow[] {
    const given = Object.entries(about).filter(([, value]) => value !== undefined);
    const conditions: string[] = given.map(([name]) => CONDITIONS[name as keyof typeof CONDITIONS]);
    if (failed) conditions.push(STAYED_TROUBLE);
    const where = conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`;
    // By another index SQLite would read all runs for a few troubles. This index has no order within an instant.
    const [index, order] = failed ? ["INDEXED BY kept_troubles", "at DESC"] : ["", "at DESC, rowid DESC"];
    return this.#all(
      `SELECT * FROM kept_runs AS run ${index} ${where} ORDER BY ${order} LIMIT :limit`,
      { ...Object.fromEntries(given), limit },
    );
  }

  /** Returns ended runs in the order of their times: `limit` at most, after the place of `last`, up to `until`. */
  endedRunsAfter(last: RunPlace, { until, limit }: { readonly until: EpochMs; readonly limit: number }) {
    return this.#all<RunRow & RunPlace>(
      `SELECT rowid AS number, * FROM kept_runs WHERE (at, rowid) > (:at, :number) AND at <= :until AND ended = 1
       ORDER BY at, rowid LIMIT :limit`,
      { at: last.at, number: last.number, until, limit },
    );
  }

  runsUnderWay(): RunRow[] {
    return this.#all("SELECT * FROM kept_runs WHERE ended = 0");
  }

  /** Removes ended runs, `limit` at most, the oldest first. Returns when the last of them was due, or started. */
  removeRunsBefore(at: EpochMs, limit = NO_LIMIT): EpochMs | undefined {
    return this.#all<{ at: EpochMs }>(
      `DELETE FROM kept_runs WHERE id IN
       (SELECT id FROM kept_runs WHERE at < :at AND ended = 1 ORDER BY at LIMIT :limit) RETURNING at`,
      { at, limit },
    ).reduce<EpochMs | undefined>((last, { at }) => Math.max(last ?? at, at), undefined);
  }

  removeRun(id: string): void {
    this.#run("DELETE FROM kept_runs WHERE id = :id", { id });
  }

  /** Returns the size of the whole database, without pages that are free to be written again. */
  bytes(): number {
    return this.#all<{ bytes: number }>(
      "SELECT (page_count - freelist_count) * page_size AS bytes FROM pragma_page_count, pragma_freelist_count, pragma_page_size",
    )[0]!.bytes;
  }

  /** Records that Jobs were watched in a span. A later call for the same beginning moves its end. */
  putWatched({ since, until }: Span): void {
    this.#run(
      "INSERT INTO watched (since, until) VALUES (:since, :until) ON CONFLICT (since) DO UPDATE SET until = max(until, :until)",
      { since, until },
    );
  }

  /** Returns the times that were watched, in the order of their beginnings. */
  watched(): Span[] {
    return this.#all("SELECT * FROM watched ORDER BY since");
  }

  /** Forgets that anything was watched before an instant. */
  removeWatchedBefore(at: EpochMs): void {
    this.#run(
      `INSERT OR REPLACE INTO watched SELECT :at, max(until) FROM watched WHERE since <= :at AND until > :at
       HAVING min(since) < :at`,
      { at },
    );
    this.#run("DELETE FROM watched WHERE since < :at", { at });
  }

  putLog(row: LogRow): void {
    this.#run(
      `INSERT OR REPLACE INTO kept_logs (file, job_uid, pod, container, restart_count, at, bytes)
       VALUES (:file, :job_uid, :pod, :container, :restart_count, :at, :bytes)`,
      { ...row },
    );
  }

  log(file: string): LogRow | undefined {
    return this.#all<LogRow>("SELECT * FROM kept_logs WHERE file = :file", { file })[0];
  }

  /** Returns the logs of runs, in the order in which their containers started. */
  logsOf(runs: readonly RunRow[]): LogRow[] {
    return this.#all(
      `SELECT * FROM kept_logs WHERE job_uid IN (SELECT value FROM json_each(:ids)) ORDER BY at, container, restart_count`,
      { ids: JSON.stringify(runs.map(({ id }) => id)) },
    );
  }

  logFiles(): string[] {
    return this.#all<{ file: string }>("SELECT file FROM kept_logs").map(({ file }) => file);
  }

  logBytes(): number {
    return this.#all<{ bytes: number }>("SELECT coalesce(sum(bytes), 0) AS bytes FROM kept_logs")[0]!.bytes;
  }

  /** Returns the oldest logs, the oldest first; never those of a run that goes on, which must not be removed. */
  oldestLogs(limit: number): LogRow[] {
    return this.#all(
      `SELECT * FROM kept_logs WHERE NOT EXISTS (SELECT 1 FROM kept_runs WHERE id = kept_logs.job_uid AND ended = 0)
       ORDER BY at LIMIT :limit`,
      { limit },
    );
  }

  removeLog(file: string): void {
    this.#run("DELETE FROM kept_logs WHERE file = :file", { file });
  }

  [Symbol.dispose](): void {
    this.#statements.clear();
    this.#db.close();
  }

  #run(sql: string, values: Record<string, string | number>): void {
    this.#statement(sql).run(values);
  }

  #all<Row>(sql: string, values: Record<string, string | number> = {}): Row[] {
    return this.#statement(sql).all(values) as unknown as Row[];
  }

  #statement(sql: string): StatementSync {
    return this.#statements.getOrInsertComputed(sql, () => this.#db.prepare(sql));
  }
}
