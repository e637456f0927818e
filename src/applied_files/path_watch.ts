import { loggerFor } from "../telemetry/logging.ts";

const logger = loggerFor("files");

/**
 * Calls `changed` at changes below paths, where the system can watch them: a path may be missing, or there may be too many
 * watches. The caller also looks now and then.
 */
export class PathWatch implements Disposable {
  readonly #watches = new Map<string, Deno.FsWatcher>();
  readonly #paths: readonly { readonly path: string; readonly recursive: boolean }[];
  readonly #changed: () => void;
  readonly #failures = new Set<string>();

  constructor(paths: readonly { readonly path: string; readonly recursive: boolean }[], changed: () => void) {
    this.#paths = paths;
    this.#changed = changed;
  }

  /** Watches the paths that are not watched yet. */
  begin(): void {
    for (const { path, recursive } of this.#paths) {
      if (this.#watches.has(path)) continue;
      try {
        const watch = Deno.watchFs(path, { recursive });
        this.#watches.set(path, watch);
        this.#follow(path, watch);
      } catch (error) {
        if (error instanceof Deno.errors.NotFound || this.#failures.has(path)) continue;
        this.#failures.add(path);
        logger.warn("Cannot watch {file}, looking at it now and then: {error}", { file: path, error });
      }
    }
  }

  /** Stops the watch of a path: another folder may have taken its place. */
  forget(path: string): void {
    this.#watches.get(path)?.close();
    this.#watches.delete(path);
  }

  async #follow(path: string, watch: Deno.FsWatcher): Promise<void> {
    try {
      for await (const { kind } of watch) if (kind !== "access") this.#changed();
    } catch (error) {
      logger.debug("The watch of {file} has ended: {error}", { file: path, error });
      if (this.#watches.get(path) === watch) this.#watches.delete(path);
    }
  }

  [Symbol.dispose](): void {
    for (const { path } of this.#paths) this.forget(path);
  }
}
