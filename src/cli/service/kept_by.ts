import type { LeftContainers } from "./left_containers.ts";
import { readStandaloneFlags } from "./standalone_flags.ts";
import type { Installed } from "./supervisor.ts";

/** Returns what counts when a service is removed: where its containers are known, and how an engine is called for them. */
export function keptBy({ command, environment }: Installed): Omit<LeftContainers, "dataDir"> & { dataDir?: string } {
  try {
    const flags = command.slice(command.indexOf("standalone") + 1);
    const { options } = readStandaloneFlags(flags, { get: (name) => environment[name] });
    const { dataDir, containerRuntime, containerRuntimeArgs: engineArgs } = options;
    // Which engine it was that worked is not known: arguments are of any.
    const allowed = containerRuntime.filter((choice) => choice !== "auto");
    return { dataDir, engineArgs, allowed: allowed.length < containerRuntime.length ? ["process"] : allowed };
  } catch {
    // Flags of another version; the last data dir is ours, and absolute.
    const at = command.lastIndexOf("--data-dir");
    return { dataDir: at < 0 ? undefined : command[at + 1], engineArgs: [], allowed: ["process"] };
  }
}
