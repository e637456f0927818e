import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { EpochMs } from "../../base/epoch_ms.ts";
import { attempt, ServerError } from "../errors.ts";
import { messageOf } from "../../telemetry/message_of.ts";
import type { Change } from "./stored_object.ts";
import { transact } from "../../base/transaction.ts";

/** One version of one object, as it is read. The row's id is the resourceVersion. */
export interface Row {
  readonly id: number;
  readonly resource: string;
  readonly key: string;
  readonly type: Change["type"];
  readonly time: EpochMs;
  /** The object as JSON. For a deletion its last state. */
  readonly value: string;
}

/**
 * Everything up to this version counts as compacted in a new database, as if it had had a past: a client with a version
 * of another server is refused, rather than given a wrong answer.
 */
const FIRST_VERSION = 10;

/** The value of `PRAGMA user_version`: of a new database 0, else that of the schema. */
const SCHEMA_VERSION = 1;

const SCHEMA = `
  CREATE TABLE log (
    id INTEGER PRIMARY KEY,
    resource TEXT NOT NULL,
    key TEXT NOT NULL,
    type TEXT NOT NULL,
    previous INTEGER,
    time INTEGER NOT NULL,
    value TEXT NOT NULL
  ) STRICT;
  CREATE INDEX log_by_key ON log (resource, key, id);
  CREATE TABLE meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  INSERT INTO meta VALUES ('compacted', ${FIRST_VERSION}), ('last', ${FIRST_VERSION});
  PRAGMA user_version = ${SCHEMA_VERSION};`;

/** SQLite gives its other files the mode of this one. */
function makePrivate(path: string): void {
  if (path === ":memory:") return;
  Deno.openSync(path, { append: true, create: true, mode: 0o600 }).close();
  Deno.chmodSync(path, 0o600);
}

/** The log of versions in SQLite, a row each; everything is synchronous. */
export class Database implements Disposable {
  readonly #path: string;
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  /**
   * @param options mustExist: an empty file is no database, and not made one
   * @throws {ServerError} when the file is no database of ours, is damaged, or was written by a newer program
   */
  constructor(path: string, options: { mustExist?: boolean } = {}) {
    this.#path = path;
    this.#db = attempt(`Cannot open database ${path}`, () => {
      makePrivate(path);
      return new DatabaseSync(path);
    });
    try {
      this.#prepare(path, options.mustExist ?? false);
    } catch (error) {
      this.#db.close();
      if (error instanceof ServerError) throw error;
      throw this.damaged(messageOf(error), error);
    }
  }

  /** Returns the error that names the file, what is wrong with it, and what can be done. */
  damaged(reason: string, cause?: unknown): ServerError {
    return new ServerError(
      `Cannot read database ${this.#path}: ${reason}. Restore a backup, or move the file away to start anew`,
      { cause },
    );
  }

  #prepare(path: string, mustExist: boolean): void {
    this.#db.exec("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");
    const check = this.#db.prepare("PRAGMA quick_check(1)").get() as { quick_check: string };
    if (check.quick_check !== "ok") throw new Error(`it is damaged (${check.quick_check.replace(/\s+/g, " ")})`);
    const { user_version: version } = this.#db.prepare("PRAGMA user_version").get() as { user_version: number };
    if (version > SCHEMA_VERSION) {
      const reason =
        `it was written by a newer version of this program (schema ${version}, known is ${SCHEMA_VERSION})`;
      throw new ServerError(`Cannot read database ${path}: ${reason}`, { cause: new Error(reason) });
    }
    if (version === 0 && mustExist) throw new Error("it holds no objects");
    if (version === 0) transact(this.#db, () => this.#db.exec(SCHEMA));
  }

  /** The newest version ever given out. */
  get lastVersion(): number {
    const { last } = this.#get(
      "SELECT max(coalesce(max(id), 0), (SELECT value FROM meta WHERE key = 'last')) AS last FROM log",
    );
    return last as number;
  }

  /** History up to here may be gone. */
  get compactedVersion(): number {
    return this.#get("SELECT value FROM meta WHERE key = 'compacted'").value as number;
  }

  /** The newest version written by then, if it is in the log. It looks through all that came after. */
  versionAt(time: EpochMs): number | undefined {
    const row = this.#statement("SELECT id FROM log WHERE time <= ? ORDER BY id DESC LIMIT 1").get(time);
    return row?.id as number | undefined;
  }

  /** The newest row of each object that exists, in no order. */
  *current(): Iterable<Row> {
    yield* this.#statement(
      `SELECT * FROM log AS l WHERE type != 'DELETED'
       AND NOT EXISTS (SELECT 1 FROM log AS m WHERE m.resource = l.resource AND m.key = l.key AND m.id > l.id)`,
    ).iterate() as Iterable<unknown> as Iterable<Row>;
  }

  /** The object as JSON. @throws {Error} when the version is gone */
  valueOf(version: number): string {
    const row = this.#statement("SELECT value FROM log WHERE id = ?").get(version);
    if (!row) throw new Error(`Cannot read version ${version}: it is not in the database any more`);
    return row.value as string;
  }

  /** Either all rows are on disk when it returns, or none of them. */
  append(changes: readonly Change[]): void {
    const insert = this.#statement(
      "INSERT INTO log (id, resource, key, type, previous, time, value) VALUES (?, ?, ?, ?, ?, ?, ?)",
    );
    transact(this.#db, () => {
      for (const { type, object: { version, resource, key, writtenAt, text }, previous } of changes) {
        insert.run(version, resource, key, type, previous?.version ?? null, writtenAt, text);
      }
    });
  }

  /** The rows of one resource after a version, in order, each with the value of the row before it. */
  changesAfter(resource: string, version: number): (Row & { previousValue: string | null })[] {
    return this.#statement(
      `SELECT l.*, p.value AS previousValue FROM log AS l LEFT JOIN log AS p ON p.id = l.previous
       WHERE l.id > ? AND l.resource = ? ORDER BY l.id`,
    ).all(version, resource) as unknown as (Row & { previousValue: string | null })[];
  }

  /** One resource as it was at a version, in the order of its keys. `from` is inclusive, `to` exclusive. */
  snapshot(resource: string, version: number, range: { from: string; to: string }): Row[] {
    return this.#statement(
      `SELECT l.* FROM log AS l
       WHERE l.resource = :resource AND l.key >= :from AND l.key < :to AND l.id <= :version AND l.type != 'DELETED'
       AND NOT EXISTS (SELECT 1 FROM log AS m
         WHERE m.resource = l.resource AND m.key = l.key AND m.id > l.id AND m.id <= :version)
       ORDER BY l.key`,
    ).all({ resource, version, from: range.from, to: range.to }) as unknown as Row[];
  }

  /**
   * Forgets what rows up to `to` have replaced, and deletions up to `to`. `from` is where the last call ended. Snapshots
   * and changes from before `to` can no longer be reported.
   */
  compact(from: number, to: number, lastVersion: number): void {
    transact(this.#db, () => {
      this.#statement("DELETE FROM log WHERE id IN (SELECT previous FROM log WHERE id > ? AND id <= ?)").run(from, to);
      this.#statement(`DELETE FROM log WHERE id > ? AND id <= ? AND type = 'DELETED'`).run(from, to);
      this.#statement("UPDATE meta SET value = ? WHERE key = 'compacted'").run(to);
      this.#statement("UPDATE meta SET value = max(value, ?) WHERE key = 'last'").run(lastVersion);
    });
  }

  /** Gives free pages back to the file system. */
  shrink(pages: number): void {
    this.#db.exec(`PRAGMA incremental_vacuum(${Math.trunc(pages)})`);
  }

  /** The database may not grow beyond so many pages of 4 kB: further writes fail as on a full disk. */
  limitPages(pages: number): void {
    this.#db.exec(`PRAGMA max_page_count = ${Math.trunc(pages)}`);
  }

  [Symbol.dispose](): void {
    this.#statements.clear();
    this.#db.close();
  }

  #get(sql: string): Record<string, unknown> {
    return this.#statement(sql).get() as Record<string, unknown>;
  }

  #statement(sql: string): StatementSync {
    return this.#statements.getOrInsertComputed(sql, () => this.#db.prepare(sql));
  }
}
