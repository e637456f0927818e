import { rmSync } from "node:fs";
import { backup, DatabaseSync } from "node:sqlite";
import { ServerError } from "../errors.ts";
import { messageOf } from "../../telemetry/message_of.ts";
import { DataDir, dataDirPaths } from "./data_dir.ts";
import { Database } from "./database.ts";

/** So far beyond every known version is the first one after a restore: clients must notice that the past is another. */
const RESTORE_GAP = 1_000;

/**
 * Copies the objects of a data directory into one file, as they are at one moment. A server may be running on it.
 *
 * @throws {ServerError}
 */
export async function backupDatabase(dataDir: string, file: string): Promise<void> {
  const { database } = dataDirPaths(dataDir);
  const temporary = `${file}.new`;
  try {
    Deno.statSync(database);
  } catch {
    throw new ServerError(`Cannot back up ${dataDir}: there is no database in it`);
  }
  try {
    rmSync(temporary, { force: true });
    // SQLite would make it readable for everyone, and Secrets are in it.
    Deno.openSync(temporary, { write: true, createNew: true, mode: 0o600 }).close();
    const source = new DatabaseSync(database, { readOnly: true });
    try {
      // Not VACUUM INTO, which Deno lets those alone do that may read everywhere by a permission without a list. All pages at
      // once: otherwise SQLite would begin anew whenever the server writes.
      await backup(source, temporary, { rate: -1 });
      // Pages are copied unread, and a backup of a damaged database would be none.
      const { quick_check: found } = source.prepare("PRAGMA quick_check(1)").get() as { quick_check: string };
      if (found !== "ok") throw new Error(`the database is damaged: ${found}`);
    } finally {
      source.close();
    }
    Deno.renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw new ServerError(`Cannot back up ${dataDir} to ${file}: ${messageOf(error)}`, { cause: error });
  }
}

/**
 * Puts a backup in the place of the objects of a data directory, which is made if it is not there. Certificates, token
 * and kubeconfig stay. Versions go on above all that were ever given out, and older watches and lists have expired.
 *
 * @throws {ServerError} when a server is running on the directory, or the file is no backup; then nothing has changed
 */
export function restoreDatabase(dataDir: string, file: string): void {
  // Before a data directory is made for it.
  checkReadable(file);
  using dir = new DataDir(dataDir);
  const { database } = dir.paths;
  const temporary = `${database}.new`;
  try {
    Deno.copyFileSync(file, temporary);
    Deno.chmodSync(temporary, 0o600);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw new ServerError(`Cannot copy backup ${file} into ${dataDir}: ${messageOf(error)}`, { cause: error });
  }
  try {
    using restored = new Database(temporary, { mustExist: true });
    const next = Math.max(restored.lastVersion, lastVersionOf(database)) + RESTORE_GAP;
    restored.compact(restored.compactedVersion, next, next);
  } catch (error) {
    for (const suffix of ["", "-wal", "-shm"]) rmSync(temporary + suffix, { force: true });
    throw new ServerError(`Cannot restore ${file}: it is no backup of this program (${rootOf(error)})`, {
      cause: error,
    });
  }
  // The old log has gone into the old database when that was closed above; what is left of it belongs to neither.
  for (const suffix of ["-wal", "-shm"]) rmSync(database + suffix, { force: true });
  Deno.renameSync(temporary, database);
}

/** @throws {ServerError} where a file cannot be read, or is none */
function checkReadable(file: string): void {
  try {
    Deno.openSync(file).close();
    if (!Deno.statSync(file).isFile) throw new Error("it is no file");
  } catch (error) {
    const reason = error instanceof Deno.errors.NotFound ? "there is no such file" : messageOf(error);
    throw new ServerError(`Cannot read backup ${file}: ${reason}`, { cause: error });
  }
}

/** The first cause: messages about the copy name it, and advise for the task at hand. */
function rootOf(error: unknown): string {
  return error instanceof Error && error.cause !== undefined ? rootOf(error.cause) : messageOf(error);
}

/** Of what is replaced. It may be damaged, which is why it is restored. */
function lastVersionOf(path: string): number {
  try {
    Deno.statSync(path);
    using database = new Database(path, { mustExist: true });
    return database.lastVersion;
  } catch {
    return 0;
  }
}
