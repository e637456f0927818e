import type { DatabaseSync } from "node:sqlite";

/** Runs `body` in a transaction: either all that it writes to the database is kept, or nothing, and its error is thrown. */
export function transact(database: DatabaseSync, body: () => void): void {
  database.exec("BEGIN IMMEDIATE");
  try {
    body();
    database.exec("COMMIT");
  } catch (error) {
    // SQLite has rolled back by itself after some errors, such as a full disk.
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}
