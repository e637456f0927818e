import { InvalidArgumentError, type Option } from "commander";
import { resolve } from "node:path";
import { ConfigError } from "../errors.ts";
import { option } from "../options.ts";

export interface DataDirOption {
  dataDir?: string;
}

/** `--data-dir`, of every command that works on one: an absolute path, whatever was given. */
export function dataDirOption(what: string): Option {
  return option(
    "--data-dir <dir>",
    `${what} (default: $XDG_STATE_HOME/cronjob-controller, else ~/.local/state/cronjob-controller)`,
  )
    // Containers run in folders of their own, where a relative path would lead elsewhere.
    .argParser((path) => {
      // An unset variable of a script must not fill the current folder.
      if (path === "") throw new InvalidArgumentError("must name a folder.");
      return resolve(path);
    });
}

/**
 * Where `standalone` keeps everything unless told: `$XDG_STATE_HOME/cronjob-controller`, else
 * `~/.local/state/cronjob-controller`. An absolute path.
 *
 * @throws {ConfigError} where no home is known
 */
export function defaultDataDir(env: { get(name: string): string | undefined } = Deno.env): string {
  const state = env.get("XDG_STATE_HOME");
  // The XDG base directory specification: a relative path is to be ignored.
  if (state?.startsWith("/")) return `${state}/cronjob-controller`;
  const home = env.get("HOME");
  if (!home) throw new ConfigError("No place for the data dir is known, as HOME is not set: give --data-dir");
  return resolve(home, ".local/state/cronjob-controller");
}

export interface PreparedDataDir {
  /** Whether no start has been completed on it yet. */
  readonly isNew: boolean;
  /** Says that a start was completed: from now on it is not new. */
  markUsed(): Promise<void>;
}

/** A data dir for one run only, which goes when it is disposed of. */
export async function temporaryDataDir(): Promise<{ dataDir: string } & AsyncDisposable> {
  const dataDir = await Deno.makeTempDir({ prefix: "cronjob-controller-" });
  return { dataDir, [Symbol.asyncDispose]: () => Deno.remove(dataDir, { recursive: true }) };
}

/**
 * Makes the data dir, readable by its owner only.
 *
 * @throws {Error} saying why it cannot be used
 */
export async function prepareDataDir(dataDir: string): Promise<PreparedDataDir> {
  const marker = `${dataDir}/started`;
  try {
    await Deno.mkdir(dataDir, { recursive: true, mode: 0o700 });
    await Deno.remove(await Deno.makeTempFile({ dir: dataDir, prefix: ".writable-" }));
    const isNew = !(await exists(marker));
    return {
      isNew,
      markUsed: async () => {
        if (isNew) await Deno.writeTextFile(marker, "");
      },
    };
  } catch (error) {
    throw new Error(`Cannot use the data dir ${dataDir}: ${(error as Error).message}`, { cause: error });
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await Deno.lstat(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
