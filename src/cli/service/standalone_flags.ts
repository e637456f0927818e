import { Command } from "commander";
import { prepareOptions } from "../flags/options.ts";
import { addStandaloneCommand } from "../standalone/command.ts";
import type { StandaloneOptions } from "../standalone/standalone_options.ts";

/**
 * Reads flags as `standalone` will, and names the variables that stand for its options.
 *
 * @throws {CommanderError} where it would refuse them, or the value of a variable
 */
export function readStandaloneFlags(flags: readonly string[]): {
  readonly options: StandaloneOptions;
  readonly variables: readonly string[];
} {
  const program = new Command().exitOverride().configureOutput({ outputError: () => {} });
  addStandaloneCommand(program);
  const standalone = program.commands[0]!;
  standalone.action(() => {});
  prepareOptions(program);
  program.parse(["standalone", ...flags], { from: "user" });
  return {
    options: standalone.opts(),
    variables: standalone.options.flatMap(({ envVar }) => envVar ?? []),
  };
}
