import configuration from "../../deno.json" with { type: "json" };
import { command } from "./command.ts";
import { COMMIT } from "./commit.ts";

export const VERSION: string = configuration.version;

/** The build and its platform: labels of a metric. */
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

/** The same as `--version`. */
export const addVersionCommand = command({
  name: "version",
  summary: "print the version",
  examples: [["version", "of this program, and what it runs on"], ["--version", "the same"]],
  run: () => console.log(versionText()),
});
