import type { CommanderError } from "commander";

/** Commander's messages about a value: the option, argument or variable, the value, and why not. */
const BAD_VALUES = [
  /^option '(?:-\w, )?(?<name>--[\w-]+)[^']*' argument '(?<value>[^]*)' is invalid\. (?<why>[^]*)$/,
  /^option '[^']*' value '(?<value>[^]*)' from env '(?<name>\w+)' is invalid\. (?<why>[^]*)$/,
  /^command-argument value '(?<value>[^]*)' is invalid for argument '(?<name>[^']*)'\. (?<why>[^]*)$/,
];

const CONFLICT =
  /^(?:option|environment variable) '(?:-\w, )?([\w-]+)[^']*' cannot be used with (?:option|environment variable) '(?:-\w, )?([\w-]+)/;

const LACKS_VALUE = /^option '(?:-\w, )?(?<name>--[\w-]+)(?<form>[^']*)' argument missing$/;

/**
 * Returns in one line what is wrong with the words of a command line: `--last must be …, current value is 0`.
 *
 * @param words of the command line, the command first
 */
export function usageErrorText({ code, message: said }: CommanderError, words: readonly string[]): string {
  const message = said.replace(/^error: /, "").replaceAll("\n", " ");
  const value = BAD_VALUES.map((pattern) => pattern.exec(message)?.groups).find((groups) => groups !== undefined);
  if (value) return `${value.name} ${whatItMustBe(value.why!)}, current value is ${value.value}`;
  const lacking = LACKS_VALUE.exec(message)?.groups;
  if (lacking) return `${lacking.name} needs a value: ${lacking.name}${lacking.form}`;
  const [, one, other] = CONFLICT.exec(message) ?? [];
  if (one !== undefined) return `Give either ${one} or ${other}, not both`;
  const isOfStandalone = code === "commander.unknownOption" && words.slice(0, 2).join(" ") === "service install" &&
    !words.includes("--") && !message.includes("Did you mean");
  return `${message}${isOfStandalone ? ": flags of standalone stand behind --" : ""} (see --help)`;
}

function whatItMustBe(why: string): string {
  return why.replace(/\.$/, "").replace(/^Allowed choices are /, "must be one of ");
}
