import type { Command, Option } from "commander";
import { ANSWERS, EXIT_CODES } from "../../src/cli/help/exit_codes.ts";
import { optionTerm, shownDefault } from "../../src/cli/flags/options.ts";
import { commandsBelow, pathOf } from "../../src/cli/help/layout.ts";
import { helpNotesOf } from "../../src/cli/help/notes.ts";
import { createProgram } from "../../src/cli/main.ts";
import { bullets, code, page, prose, sentence, table } from "./markdown.ts";

/** Every command with its arguments, options and examples. */
export function commandsPage(): string {
  const commands = commandsBelow(createProgram("linux")).filter(({ commands }) => commands.length === 0);
  return page(
    "Commands",
    "Every option is an environment variable too: `--log-level` is `CJC_LOG_LEVEL`. The variable of a repeatable option " +
      "holds a list with commas. A switch also takes a value: `--all=false`. `cronjob-controller help COMMAND` prints the same. What commands print with `-o json` is " +
      "described by the JSON Schemas in [`docs/schemas`](../schemas).",
    bullets(commands.map((command) => {
      const path = pathOf(command);
      return `[\`${path}\`](#${path.replaceAll(" ", "-")}): ${command.summary() || command.description()}`;
    })),
    ...commands.map(commandPart),
  );
}

function commandPart(command: Command): string {
  const path = pathOf(command);
  const notes = helpNotesOf(command);
  const options = command.createHelp().visibleOptions(command).filter(({ long }) => long !== "--help");
  const described = command.registeredArguments.filter(({ description }) => description !== "");
  const parts = [
    `## ${path}`,
    prose(sentence(command.description())),
    ...notes.text === undefined ? [] : [prose(notes.text.trim())],
    fenced("text", [`cronjob-controller ${path} ${command.usage()}`]),
    ...described.length === 0
      ? []
      : [bullets(described.map((each) => `${code(each.name())}: ${sentence(each.description)}`))],
    ...options.length === 0 ? [] : [bullets(options.map(optionLine))],
    ...notes.examples === undefined ? [] : [
      fenced("sh parse", notes.examples.flatMap(([line, does]) => [`# ${does}`, `cronjob-controller ${line}`])),
    ],
  ];
  return parts.join("\n\n");
}

function optionLine(option: Option): string {
  const { description, argChoices } = option;
  const byDefault = shownDefault(option);
  const facts = [
    ...argChoices ? [argChoices.map(code).join(", ")] : [],
    ...byDefault === undefined ? [] : [`default ${code(byDefault)}`],
  ];
  return `${code(optionTerm(option))}: ${prose(sentence([description, ...facts].join("; ")))}`;
}

function fenced(kind: string, lines: readonly string[]): string {
  return ["```" + kind, ...lines, "```"].join("\n");
}

/** What each exit code means, to all commands and to some. */
export function exitCodesPage(): string {
  return page(
    "Exit codes",
    "`cronjob-controller help exit-codes` prints the same.",
    table(["code", "meaning"], EXIT_CODES.map(({ code, meaning }) => [`${code}`, meaning])),
    table(["command", "0", "1"], ANSWERS.map((answer) => [code(answer.command), answer[0], answer[1]])),
  );
}
