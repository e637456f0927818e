import type { Command } from "commander";
import { addOptions, repeatable } from "../options.ts";

/** The options of `standalone` on the command line about files to follow. */
export interface FileOptions {
  /** Folders of manifests. */
  manifests: readonly string[];
  crontab: readonly string[];
}

/** Adds the flags of `FileOptions`, each of which may be given several times. */
export function addFileOptions(command: Command): Command {
  return addOptions(
    command,
    repeatable(
      "--manifests <dir>",
      "keep the manifests in and below this folder applied: changes are followed, and what no file has any more is deleted",
    ),
    repeatable("--crontab <file>", "run the entries of this crontab as CronJobs, and follow its changes"),
  );
}
