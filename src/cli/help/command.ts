import type { Command } from "commander";
import { editDistance } from "../../schedule/edit_distance.ts";
import { ConfigError } from "../errors.ts";
import { addHelpNotes } from "./notes.ts";

/** What there is help on beside commands. */
const TOPICS: Readonly<Record<string, () => Promise<string>>> = {
  "exit-codes": async () => (await import("./exit_codes_text.ts")).exitCodesText(),
};

/** A word that is further from all that are known is none of them, mistyped. */
const FARTHEST = 3;

/** Adds `help`: of the program, of a command, or on a topic. */
export function addHelpCommand(program: Command): void {
  const command = program.helpCommand(false).command("help")
    .description("print the help of a command, or on exit-codes")
    .argument("[command...]", "a command, or exit-codes")
    .action(async (words: string[]) => {
      const [first] = words;
      if (words.length === 1 && Object.hasOwn(TOPICS, first)) console.log(await TOPICS[first]());
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
    const near = nearest(word, names);
    const advice = near === undefined ? "" : ` (Did you mean ${near}?)`;
    throw new ConfigError(`unknown command '${word}'${advice} (see --help)`);
  }, program);
}

function isHidden(command: Command, each: Command): boolean {
  return !command.createHelp().visibleCommands(command).includes(each);
}

function nearest(word: string, names: readonly string[]): string | undefined {
  const scored = names.map((name) => ({ name, distance: editDistance(word, name) })).sort((a, b) =>
    a.distance - b.distance
  );
  const [best] = scored;
  const limit = Math.min(FARTHEST, Math.floor(word.length / 2));
  return best !== undefined && best.distance <= limit ? best.name : undefined;
}
