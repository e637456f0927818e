import { InvalidArgumentError } from "commander";
import { resolve } from "node:path";
import { ConfigError } from "../errors.ts";
import { option } from "../flags/options.ts";
import { exists } from "./files.ts";

/** `--data-dir`, of every command that works on one: an absolute path, whatever was given. */
export function dataDirOption(what: string) {
  return option(
    "--data-dir <dir>",
    `${what} (default: $XDG_STATE_HOME/cronjob-controller, else ~/.local/state/cronjob-controller)`,
  )
    // Containers run in folders of their own, where a relative path would lead elsewhere.
    .parsedBy((path) => {
      // An unset variable of a script must not fill the current folder.
      if (path === "") throw new InvalidArgumentError("must name a folder.");
      return resolve(path);
    });
}

/**
 * Returns where `standalone` keeps everything by default: `$XDG_STATE_HOME/cronjob-controller`, else
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

/** Returns a data dir for one run only, which goes when it is disposed of. */
export async function temporaryDataDir(): Promise<{ dataDir: string } & AsyncDisposable> {
  const dataDir = await Deno.makeTempDir({ prefix: "cronjob-controller-" });
  return { dataDir, [Symbol.asyncDispose]: () => Deno.remove(dataDir, { recursive: true }) };
}

/**
 * Makes the data dir, readable by its owner only. Disposed of before it is kept, one that was made for this start is removed again,
 * with what is in it. It `isNew` until a start has been completed on it.
 *
 * @throws {Error} saying why it cannot be used
 */
export async function prepareDataDir(dataDir: string) {
  const marker = `${dataDir}/started`;
  try {
    let isKept = await exists(dataDir);
    await Deno.mkdir(dataDir, { recursive: true, mode: 0o700 });
    await Deno.remove(await Deno.makeTempFile({ dir: dataDir, prefix: ".writable-" }));
    const isNew = !(await exists(marker));
    return {
      isNew,
      /** Keeps it: from now on it is not new. */
      markUsed: async () => {
        isKept = true;
        if (isNew) await Deno.writeTextFile(marker, "");
      },
      /** Keeps it, and says nothing about starts. */
      keep: () => void (isKept = true),
      [Symbol.asyncDispose]: async () => {
        if (!isKept && !await exists(marker)) await removeUnlessInUse(dataDir);
      },
    };
  } catch (error) {
    const reason = whyNoFolder(error as Error);
    throw new Error(`Cannot use the data dir ${dataDir}: ${reason}; name another with --data-dir`, { cause: error });
  }
}

function whyNoFolder(error: Error): string {
  const isFile = error instanceof Deno.errors.AlreadyExists || error instanceof Deno.errors.NotADirectory;
  return isFile ? "it, or what it is in, is a file" : error.message;
}

/** Another process may have been given the same folder at the same time. */
async function removeUnlessInUse(dataDir: string): Promise<void> {
  const { DataDir } = await import("../../apiserver/storage/data_dir.ts");
  try {
    using _lock = new DataDir(dataDir);
    await Deno.remove(dataDir, { recursive: true });
  } catch {
    // It is in use, or cannot be removed: what made the start fail is the news.
  }
}
