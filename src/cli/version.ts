import type { Command } from "commander";
import configuration from "../../deno.json" with { type: "json" };
import { COMMIT } from "./commit.ts";
import { addHelpNotes, type HelpNotes } from "./help/notes.ts";

const NOTES: HelpNotes = {
  examples: [["version", "of this program, and what it runs on"], ["--version", "the same"]],
};

export const VERSION: string = configuration.version;

/** What was built, and on what it runs: labels of a metric. */
export const BUILD_INFO = {
  version: VERSION,
  commit: COMMIT,
  deno_version: Deno.version.deno,
  platform: Deno.build.target,
} as const;

/** Returns the version, the commit and what it runs on, in one line. */
export function versionText(): string {
  return `cronjob-controller ${VERSION} (commit ${COMMIT}, deno ${Deno.version.deno}, ${Deno.build.target})`;
}

/** Adds `version`, which prints the same as `--version`. */
export function addVersionCommand(program: Command): void {
  addHelpNotes(program.command("version"), NOTES)
    .summary("print the version")
    .description("Prints the version.")
    .action(() => console.log(versionText()));
}
