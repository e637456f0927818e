import type { Command, Option } from "commander";
import type { ConnectionOptions } from "../flags/connection_options.ts";

/** A word that could stand where the cursor is. */
export interface Candidate {
  readonly word: string;
  readonly description?: string;
}

/** Names that a cluster, or a kubeconfig, knows. */
export type NameKind = "CronJobs" | "namespaces" | "contexts";

/** Where names are to be asked for, as far as the words before the cursor say it. */
export type Whereabouts = ConnectionOptions & { readonly namespace?: string | undefined };

/** The words that could stand where the cursor is. */
export type Completion =
  | { readonly kind: "words"; readonly candidates: readonly Candidate[] }
  | { readonly kind: "names"; readonly of: NameKind; readonly whereabouts: Whereabouts }
  | { readonly kind: "files" }
  | { readonly kind: "folders" };

/** The values of an option or an argument, by its name or by how its help calls them. */
const VALUES: Readonly<Record<string, NameKind | "files" | "folders" | readonly string[]>> = {
  "--namespace": "namespaces",
  "--context": "contexts",
  name: "CronJobs",
  names: "CronJobs",
  files: "files",
  path: "files",
  "<file>": "files",
  "<path>": "files",
  "<file|dir>": "files",
  "<dir>": "folders",
  "<run>": ["last", "failed"],
};

/** Completes the last of `words`, which follow the name of the program. */
export function complete(program: Command, words: readonly string[]): Completion {
  const { command, position, whereabouts, pending } = follow(program, words.slice(0, -1));
  const values = (choices: readonly string[] | undefined, name = "") => {
    const found = choices ?? VALUES[name] ?? [];
    if (typeof found !== "string") return theWords(found.map((word) => ({ word })));
    return found === "files" || found === "folders"
      ? { kind: found }
      : { kind: "names" as const, of: found, whereabouts };
  };
  if (pending) {
    const { argChoices, long, flags } = pending;
    return values(argChoices, [long ?? "", /<.+>/.exec(flags)?.[0] ?? ""].find((name) => name in VALUES));
  }
  if (words.at(-1)?.startsWith("-")) return theWords(optionsOf(command));
  if (position === 0 && command.commands.length > 0) return theWords(commandsOf(command));
  const last = command.registeredArguments.at(-1);
  const argument = command.registeredArguments[position] ?? (last?.variadic ? last : undefined);
  if (argument?.name() === "command") return theWords(commandsOf(program));
  return values(argument?.argChoices, argument?.name());
}

/**
 * Returns what the words before the cursor mean: the command, how many arguments stand there, and an option whose value comes next.
 */
function follow(program: Command, words: readonly string[]) {
  let command = program;
  let position = 0;
  let pending: Option | undefined;
  const given: Record<string, string> = {};
  // bash makes three words of `--name=value`; the value of a switch is `--name=false` alone.
  const whole = words.join("\n").replaceAll(/(^|\n)(--[\w-]+)\n=(?:\n|$)/g, "$1$2=").split("\n");
  for (const word of whole.filter((word) => word !== "=" && word !== "")) {
    const [, name = word, value] = /^(--[\w-]+)=(.*)$/.exec(word) ?? [];
    if (pending) {
      given[pending.attributeName()] = word;
      pending = undefined;
    } else if (word.startsWith("-") && word !== "-") {
      const option = command.options.find(({ long, short }) => long === name || short === name);
      if (option && value) given[option.attributeName()] = value;
      else if (option?.required) pending = option;
    } else {
      const next = position === 0 ? command.commands.find((command) => command.name() === word) : undefined;
      if (next) command = next;
      else position++;
    }
  }
  const { kubeconfig, context, namespace } = given;
  return { command, position, whereabouts: { kubeconfig, context, namespace }, pending };
}

function commandsOf(command: Command): Candidate[] {
  return command.createHelp().visibleCommands(command)
    .map((command) => ({ word: command.name(), description: command.summary() }));
}

function optionsOf(command: Command): Candidate[] {
  return command.createHelp().visibleOptions(command)
    .flatMap(({ long, description }) => long ? [{ word: long, description }] : []);
}

function theWords(candidates: readonly Candidate[]): Completion {
  return { kind: "words", candidates };
}
