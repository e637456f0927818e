import { join } from "node:path";
import { attempt, ServerError } from "../errors.ts";

/** Returns where everything lies in a data directory, which need not be there yet. */
export function dataDirPaths(dir: string) {
  return {
    database: join(dir, "objects.sqlite"),
    kubeconfig: join(dir, "kubeconfig"),
    token: join(dir, "token"),
    certificates: join(dir, "pki"),
    lock: join(dir, "lock"),
  };
}

/** A data directory that this process alone may use until it is disposed of. */
export class DataDir implements Disposable {
  readonly paths: ReturnType<typeof dataDirPaths>;
  readonly #lock: Deno.FsFile;

  /**
   * Makes the directory (for its owner's eyes only) if it is not there, and locks it. The lock goes with the process,
   * however that ends.
   *
   * @throws {ServerError} when it cannot be written, or another process has it
   */
  constructor(readonly dir: string) {
    this.paths = dataDirPaths(dir);
    this.#lock = attempt(`Cannot write to data directory ${dir}`, () => {
      Deno.mkdirSync(dir, { recursive: true, mode: 0o700 });
      return Deno.openSync(this.paths.lock, { read: true, write: true, create: true, mode: 0o600 });
    });
    if (!this.#lock.tryLockSync(true)) {
      const owner = Deno.readTextFileSync(this.paths.lock).trim();
      this.#lock.close();
      throw new ServerError(
        `Cannot use data directory ${dir}: another process${owner ? ` (pid ${owner})` : ""} is using it`,
      );
    }
    this.#lock.truncateSync();
    this.#lock.writeSync(new TextEncoder().encode(`${Deno.pid}\n`));
  }

  [Symbol.dispose](): void {
    this.#lock.unlockSync();
    this.#lock.close();
  }
}

/** Returns what a file says; undefined where there is none. */
export function readIfThere(path: string): string | undefined {
  try {
    return Deno.readTextFileSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** Writes a file that only its owner may read, whole or not at all. */
export function writePrivateFile(path: string, text: string): void {
  const temporary = `${path}.new`;
  Deno.writeTextFileSync(temporary, text, { mode: 0o600 });
  Deno.chmodSync(temporary, 0o600);
  Deno.renameSync(temporary, path);
}
