import { ConfigError } from "./errors.ts";

/**
 * Where `standalone` keeps everything unless told: `$XDG_STATE_HOME/cronjob-controller`, else
 * `~/.local/state/cronjob-controller`.
 *
 * @throws {ConfigError} where no home is known
 */
export function defaultDataDir(env: { get(name: string): string | undefined } = Deno.env): string {
  const state = env.get("XDG_STATE_HOME");
  // The XDG base directory specification: a relative path is to be ignored.
  if (state?.startsWith("/")) return `${state}/cronjob-controller`;
  const home = env.get("HOME");
  if (!home) throw new ConfigError("No place for the data dir is known, as HOME is not set: give --data-dir");
  return `${home}/.local/state/cronjob-controller`;
}

/** Makes the data dir, readable by its owner only; tells whether it was new (absent or empty). */
export async function prepareDataDir(dataDir: string): Promise<{ isNew: boolean }> {
  try {
    await Deno.mkdir(dataDir, { recursive: true, mode: 0o700 });
    const probe = await Deno.makeTempFile({ dir: dataDir, prefix: ".writable-" });
    await Deno.remove(probe);
    for await (const _ of Deno.readDir(dataDir)) return { isNew: false };
    return { isNew: true };
  } catch (error) {
    throw new Error(`Cannot use the data dir ${dataDir}: ${(error as Error).message}`, { cause: error });
  }
}
