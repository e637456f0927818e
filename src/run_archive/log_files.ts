import { ifThere, removePath } from "../kubelet/files/disk.ts";
import type { RunFiles } from "../kubelet/files/run_files.ts";
import { RunLog } from "../kubelet/files/run_log.ts";

/** The folder of the kept logs, without subfolders. */
export class LogFiles {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  /**
   * Takes a run's log over. After a crash at any moment, another call completes it.
   *
   * @returns the bytes that the log takes on disk; 0 without a log
   */
  take(name: string, files: RunFiles): number {
    const { log, cut } = this.#pathsOf(name);
    // The note of cut lines moves first: the log must never be in its new place without it.
    ifThere(() => Deno.renameSync(files.cut, cut));
    ifThere(() => Deno.renameSync(files.log, log));
    return bytesOf(log);
  }

  /** Returns the log of that name, to be read as before it was taken over. */
  open(name: string): RunLog {
    return new RunLog(this.#pathsOf(name));
  }

  remove(name: string): void {
    const { log, cut } = this.#pathsOf(name);
    removePath(log);
    removePath(cut);
  }

  /** Removes the files of all other names. Returns those of `names` that have no log. */
  sweep(names: readonly string[]): string[] {
    const known = new Set(names);
    const missing = new Set(names);
    for (const { name: file, isFile } of Deno.readDirSync(this.#folder)) {
      const name = file.replace(/\.(log|cut)$/, "");
      // Folders, and files with other endings, are not this class's own.
      if (!isFile || name === file) continue;
      if (!known.has(name)) Deno.removeSync(`${this.#folder}/${file}`);
      else if (file.endsWith(".log")) missing.delete(name);
    }
    return [...missing];
  }

  #pathsOf(name: string) {
    const path = `${this.#folder}/${name}`;
    // No file has the times: the index of the lines' times is not taken over.
    return { log: `${path}.log`, cut: `${path}.cut`, times: `${path}.times` };
  }
}

function bytesOf(path: string): number {
  const { size, blocks } = ifThere(() => Deno.statSync(path)) ?? { size: 0, blocks: null };
  return size === 0 || blocks === null ? size : blocks * 512;
}
