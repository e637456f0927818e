import { Argument, type Command } from "commander";
import { nearestWord } from "../../schedule/nearest_word.ts";
import { command } from "../command.ts";
import { ConfigError } from "../errors.ts";

/** A topic of help beside commands. */
const EXIT_CODES = "exit-codes";

/** Of the program, of a command, or on a topic. */
export const addHelpCommand = command({
  name: "help",
  summary: "print the help of a command, or what exit codes mean",
  examples: [["help status", "what status takes"], ["help exit-codes", "what exit codes mean"]],
  argument: new Argument("[command...]", "a command, or exit-codes"),
  run: async (_options, words, { command }) => {
    if (words.join(" ") === EXIT_CODES) console.log((await import("./exit_codes_text.ts")).exitCodesText());
    else commandNamed(command.parent!, words).outputHelp();
  },
});

function commandNamed(program: Command, words: readonly string[]): Command {
  return words.reduce((above, word) => {
    const known = above.createHelp().visibleCommands(above);
    const found = known.find((each) => each.name() === word);
    if (found !== undefined) return found;
    const names = [...known.map((each) => each.name()), ...above === program ? [EXIT_CODES] : []];
    const near = nearestWord(word, names);
    const advice = near === undefined ? "" : ` (Did you mean ${near}?)`;
    throw new ConfigError(`unknown command '${word}'${advice} (see --help)`);
  }, program);
}
