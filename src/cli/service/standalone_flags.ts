import { Command } from "commander";
import { letSwitchesStandAlone } from "../options.ts";
import { addStandaloneCommand, standaloneOptionsOf } from "../standalone/command.ts";
import type { StandaloneOptions } from "../standalone/run.ts";

/**
 * Reads flags as `standalone` will, and the variables that stand for its options.
 *
 * @param env with which it will be called
 * @throws {CommanderError} where it would refuse them
 */
export function readStandaloneFlags(
  flags: readonly string[],
  env: { get(name: string): string | undefined } = Deno.env,
): {
  readonly options: StandaloneOptions;
  readonly variables: readonly string[];
} {
  const program = new Command().exitOverride().configureOutput({ outputError: () => {} });
  addStandaloneCommand(program);
  const standalone = program.commands[0]!;
  standalone.exitOverride().configureOutput({ outputError: () => {} }).action(() => {});
  letSwitchesStandAlone(program);
  const variables = new Map(standalone.options.flatMap((option) => option.envVar ? [[option.envVar, option]] : []));
  // Commander would take those of this process.
  for (const option of variables.values()) option.envVar = undefined;
  program.parse(["standalone", ...flags], { from: "user" });
  // As it does itself; its types leave out that it is an EventEmitter.
  const emitting = standalone as Command & { emit(event: string, value: string): void };
  for (const [variable, option] of variables) {
    // A refusal names it.
    option.envVar = variable;
    const value = env.get(variable);
    const isGiven = standalone.getOptionValueSource(option.attributeName()) === "cli";
    if (value !== undefined && !isGiven) emitting.emit(`optionEnv:${option.name()}`, value);
  }
  return { options: standaloneOptionsOf(standalone), variables: [...variables.keys()] };
}
