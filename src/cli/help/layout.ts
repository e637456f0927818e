import { type Command, Help, type Option } from "commander";
import { optionTerm, shownDefault } from "../flags/options.ts";
import { exitCodesOf } from "./exit_codes.ts";
import { helpNotesOf } from "./notes.ts";

/** Of what is no terminal. */
const PIPE_COLUMNS = 80;

/** Terminals that are narrower get longer lines than they have room for. */
const LEAST_COLUMNS = 40;

/** Options that are longer have their description below them; in a narrow terminal all have. */
const LONGEST_TERM = 28;
const NARROW_COLUMNS = 64;

const INDENT = 2;
const GAP = 2;
const BELOW = 8;

/** How the help of a program looks, and of all commands that it gets from then on. */
export function layOutHelp(program: Command): Command {
  return program
    .exitOverride()
    .configureHelp({
      padWidth,
      formatItem,
      optionTerm,
      optionDescription,
      minWidthToWrap: LEAST_COLUMNS - INDENT - BELOW,
    })
    .configureOutput({
      writeOut: (text) => console.log(text.trimEnd()),
      writeErr: (text) => console.error(text.trimEnd()),
      // Errors are printed in one line by the program's main function.
      outputError: () => {},
      getOutHelpWidth: columns,
      getErrHelpWidth: columns,
    })
    .addHelpText("afterAll", ({ command }) => notesText(command, columns()));
}

/** Returns the commands of a command that its help shows, with theirs. */
export function commandsBelow(command: Command): Command[] {
  const shown = command.createHelp().visibleCommands(command);
  return command.commands.filter((each) => shown.includes(each)).flatMap((each) => [each, ...commandsBelow(each)]);
}

/** Returns the words that call a command, the program's name aside: `import crontab`. */
export function pathOf(command: Command): string {
  const above = command.parent;
  return above === null ? "" : `${pathOf(above)} ${command.name()}`.trim();
}

function columns(): number {
  if (!Deno.stdout.isTerminal()) return PIPE_COLUMNS;
  // A terminal without a size says 0.
  return Math.max(LEAST_COLUMNS, Deno.consoleSize().columns || PIPE_COLUMNS);
}

function optionDescription(option: Option): string {
  const { argChoices, description, envVar } = option;
  const byDefault = shownDefault(option);
  const facts = [
    ...argChoices ? [`choices: ${argChoices.join(", ")}`] : [],
    ...byDefault === undefined ? [] : [`default: ${byDefault}`],
    ...envVar === undefined ? [] : [`env: ${envVar}`],
  ];
  return facts.length === 0 ? description : `${description} (${facts.join("; ")})`;
}

function padWidth(this: Help, command: Command, helper: Help): number {
  if ((this.helpWidth ?? PIPE_COLUMNS) < NARROW_COLUMNS) return 0;
  const widths = [
    ...helper.visibleOptions(command).map(optionTerm),
    ...helper.visibleCommands(command).map((each) => helper.subcommandTerm(each)),
    ...helper.visibleArguments(command).map((argument) => helper.argumentTerm(argument)),
  ].map((term) => term.length);
  return Math.max(0, ...widths.filter((width) => width <= LONGEST_TERM));
}

/** A term that is longer than most has its description below it. */
function formatItem(this: Help, term: string, termWidth: number, description: string, helper: Help): string {
  const format = Help.prototype.formatItem.bind(this);
  if (term.length <= termWidth || description === "") return format(term, termWidth, description, helper);
  return `${" ".repeat(INDENT)}${term}\n${format("", BELOW - INDENT - GAP, description, helper)}`;
}

function notesText(command: Command, width: number): string {
  const { text, examples = [] } = helpNotesOf(command);
  const name = programNameOf(command);
  const parts = [
    ...text === undefined ? [] : [wrapParagraphs(text, width)],
    ...exitCodesOf(pathOf(command)).map((line) => wrapParagraphs(line, width)),
    ...examples.length === 0 ? [] : [
      `Examples:\n${
        examples.map(([line, does]) => {
          return `${wrap(does, width - 4).map((line) => `  # ${line}`).join("\n")}\n  ${name} ${line}`;
        }).join("\n")
      }`,
    ],
  ];
  return parts.length === 0 ? "" : `\n${parts.join("\n\n")}`;
}

function programNameOf(command: Command): string {
  return command.parent === null ? command.name() : programNameOf(command.parent);
}

const HELP = Object.assign(new Help(), { minWidthToWrap: 0 });

/** Breaks a paragraph into lines of at most `width` characters; a longer word has a line of its own. */
export function wrap(text: string, width: number): string[] {
  const paragraph = text.trim().replaceAll(/\s+/g, " ");
  return paragraph === "" ? [] : HELP.boxWrap(paragraph, width).split("\n");
}

/** Returns the same of paragraphs, which an empty line parts. */
export function wrapParagraphs(text: string, width: number): string {
  return text.trim().split(/\n{2,}/).map((paragraph) => wrap(paragraph, width).join("\n")).join("\n\n");
}
