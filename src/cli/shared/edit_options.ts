import type { Command } from "commander";
import { ConfigError } from "../errors.ts";
import { option, switchOption } from "../options.ts";
import { addConnectionOptions, type ConnectionOptions } from "../shared/connection_options.ts";

/** Which CronJobs a command edits, and whether it does. */
export interface EditOptions extends ConnectionOptions {
  /** Those of {@linkcode namespace}; empty with {@linkcode all}. */
  names: readonly string[];
  all: boolean;
  allNamespaces: boolean;
  /** Undefined: that of the context, else `default`. */
  namespace?: string;
  dryRun: boolean;
}

/** Returns the arguments and options that `adopt` and `release` share. */
export function addEditOptions(command: Command): Command {
  command.argument("[names...]", "of batch/v1 CronJobs")
    .addOption(option("-n, --namespace <name>", "where they are (default: the context's namespace)"))
    .addOption(switchOption("--all", "every CronJob of the namespace"))
    .addOption(switchOption("-A, --all-namespaces", "with --all: those of every namespace"));
  return addConnectionOptions(command)
    .addOption(switchOption("--dry-run", "print what would change, and change nothing"));
}

/** @throws {ConfigError} where it isn't clear which CronJobs are meant */
export function checkEditOptions({ names, all, allNamespaces, namespace }: EditOptions): void {
  if (names.length === 0 && !all) throw new ConfigError("Give the names of CronJobs, or --all");
  if (names.length > 0 && all) throw new ConfigError("Give either names of CronJobs or --all, not both");
  if (allNamespaces && !all) throw new ConfigError("--all-namespaces needs --all");
  if (allNamespaces && namespace !== undefined) {
    throw new ConfigError("Give either --namespace or --all-namespaces, not both");
  }
}
