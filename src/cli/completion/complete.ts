import type { Argument, Command, Option } from "commander";

/** A word that could stand where the cursor is. */
export interface Candidate {
  readonly word: string;
  readonly description?: string;
}

/** Names that a cluster, or a kubeconfig, knows. */
export type NameKind = "CronJobs" | "namespaces" | "contexts";

/** Where names are to be asked for, as far as the words before the cursor say it. */
export interface Whereabouts {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
}

/** The words that could stand where the cursor is. */
export type Completion =
  | { readonly kind: "words"; readonly candidates: readonly Candidate[] }
  | { readonly kind: "names"; readonly of: NameKind; readonly whereabouts: Whereabouts }
  | { readonly kind: "files" }
  | { readonly kind: "folders" };

/** What may follow an option, by its name. */
const VALUES_OF_OPTIONS: Readonly<Record<string, NameKind>> = {
  "--namespace": "namespaces",
  "--context": "contexts",
};

/** Words that mean something as the value of an option which takes others too, by how its help calls it. */
const WORDS_OF_VALUES: Readonly<Record<string, readonly string[]>> = {
  run: ["last", "failed"],
};

/** What stands for an argument, or for the value of an option, by how its help calls it. */
const ARGUMENTS: Readonly<Record<string, "CronJobs" | "files" | "folders">> = {
  name: "CronJobs",
  names: "CronJobs",
  file: "files",
  files: "files",
  path: "files",
  "file|dir": "files",
  dir: "folders",
};

/** Completes the last of `words`, which follow the name of the program. */
export function complete(program: Command, words: readonly string[]): Completion {
  const { command, position, whereabouts, pending } = follow(program, words.slice(0, -1));
  if (pending !== undefined) return valuesOf(pending, whereabouts);
  if (words.at(-1)?.startsWith("-")) return { kind: "words", candidates: optionsOf(command) };
  if (position === 0 && command.commands.length > 0) return { kind: "words", candidates: commandsOf(command) };
  return argumentOf(program, command, position, whereabouts);
}

/** What the words before the cursor amount to. */
interface Context {
  readonly command: Command;
  /** How many arguments stand there. */
  readonly position: number;
  readonly whereabouts: Whereabouts;
  /** An option whose value comes next. */
  readonly pending: Option | undefined;
}

function follow(program: Command, words: readonly string[]): Context {
  let command = program;
  let position = 0;
  let pending: Option | undefined;
  let optional: Option | undefined;
  const whereabouts: Record<string, string> = {};
  for (const word of words) {
    // An equals sign is a word of its own in bash.
    if (word === "=" && (pending ??= optional) !== undefined) continue;
    optional = undefined;
    const [name, value] = splitAssignment(word);
    if (pending !== undefined) {
      whereabouts[pending.attributeName()] = word;
      pending = undefined;
    } else if (word.startsWith("-") && word !== "-") {
      const option = optionNamed(command, name);
      if (option !== undefined && value !== undefined) whereabouts[option.attributeName()] = value;
      else if (option?.required) pending = option;
      else if (option?.optional) optional = option;
    } else {
      const next = position === 0 ? command.commands.find((command) => command.name() === word) : undefined;
      if (next === undefined) position++;
      else command = next;
    }
  }
  const { kubeconfig, context, namespace } = whereabouts;
  return { command, position, whereabouts: { kubeconfig, context, namespace }, pending };
}

function splitAssignment(word: string): [name: string, value: string | undefined] {
  const at = word.startsWith("--") ? word.indexOf("=") : -1;
  return at < 0 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
}

function optionNamed(command: Command, name: string): Option | undefined {
  return command.options.find(({ long, short }) => long === name || short === name);
}

function valuesOf(option: Option, whereabouts: Whereabouts): Completion {
  if (option.argChoices !== undefined) return theWords(option.argChoices);
  const names = VALUES_OF_OPTIONS[option.long ?? ""];
  if (names !== undefined) return { kind: "names", of: names, whereabouts };
  const [, placeholder = ""] = /<(.+?)>/.exec(option.flags) ?? [];
  const kind = ARGUMENTS[placeholder];
  if (kind === "files" || kind === "folders") return { kind };
  return theWords(WORDS_OF_VALUES[placeholder] ?? []);
}

function argumentOf(program: Command, command: Command, position: number, whereabouts: Whereabouts): Completion {
  const declared = command.registeredArguments;
  const last = declared.at(-1);
  const argument: Argument | undefined = declared[position] ?? (last?.variadic ? last : undefined);
  if (argument === undefined) return theWords([]);
  if (argument.argChoices !== undefined) return theWords(argument.argChoices);
  if (argument.name() === "command") return { kind: "words", candidates: commandsOf(program) };
  const kind = ARGUMENTS[argument.name()];
  if (kind === "CronJobs") return { kind: "names", of: kind, whereabouts };
  return kind === undefined ? theWords([]) : { kind };
}

function commandsOf(command: Command): Candidate[] {
  return command.createHelp().visibleCommands(command)
    .map((command) => ({ word: command.name(), description: command.summary() || command.description() }));
}

function optionsOf(command: Command): Candidate[] {
  return command.createHelp().visibleOptions(command)
    .flatMap(({ long, description }) => long ? [{ word: long, description }] : []);
}

function theWords(words: readonly string[]): Completion {
  return { kind: "words", candidates: words.map((word) => ({ word })) };
}
