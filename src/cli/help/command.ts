import type { Command } from "commander";
import { ownValue } from "../../base/own_value.ts";
import { nearestWord } from "../../schedule/nearest_word.ts";
import { ConfigError } from "../errors.ts";
import { addHelpNotes } from "./notes.ts";

/** What there is help on beside commands. */
const TOPICS: Readonly<Record<string, () => Promise<string>>> = {
  "exit-codes": async () => (await import("./exit_codes_text.ts")).exitCodesText(),
};

/** Adds `help`: of the program, of a command, or on a topic. */
export function addHelpCommand(program: Command): void {
  const command = program.helpCommand(false).command("help")
    .summary("print the help of a command, or on exit-codes")
    .description("Prints the help of a command, or what exit codes mean.")
    .argument("[command...]", "a command, or exit-codes")
    .action(async (words: string[]) => {
      const topic = ownValue(TOPICS, words.join(" "));
      if (topic) console.log(await topic());
      else commandNamed(program, words).outputHelp();
    });
  addHelpNotes(command, {
    examples: [
      ["help status", "what status takes"],
      ["help exit-codes", "what exit codes mean"],
    ],
  });
}

function commandNamed(program: Command, words: readonly string[]): Command {
  return words.reduce((command, word) => {
    const known = command.commands.filter((each) => !isHidden(command, each));
    const found = known.find((each) => each.name() === word);
    if (found !== undefined) return found;
    const names = [...known.map((each) => each.name()), ...command === program ? Object.keys(TOPICS) : []];
    const near = nearestWord(word, names);
    const advice = near === undefined ? "" : ` (Did you mean ${near}?)`;
    throw new ConfigError(`unknown command '${word}'${advice} (see --help)`);
  }, program);
}

function isHidden(command: Command, each: Command): boolean {
  return !command.createHelp().visibleCommands(command).includes(each);
}
