import type { Command } from "commander";
import configuration from "../../deno.json" with { type: "json" };

export const VERSION: string = configuration.version;

export function versionText(): string {
  return `cronjob-controller ${VERSION} (deno ${Deno.version.deno}, ${Deno.build.target})`;
}

export function addVersionCommand(program: Command): void {
  program.command("version").description("print the version").action(() => console.log(versionText()));
}
