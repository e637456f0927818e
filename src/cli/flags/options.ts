import { type Command, InvalidArgumentError, Option } from "commander";
import { OUR_JOB_CONTROLLER } from "../../job/api/names.ts";
import { parseDuration } from "../../schedule/duration.ts";
import { FlagError } from "../errors.ts";

type Parser<T> = (text: string, previous: T | undefined) => T;

/** An option whose value, and the name of that for a command, have types. */
export class Flag<Name extends string = string, Value = unknown> extends Option {
  /** For the compiler alone. */
  declare readonly types: { readonly name: Name; readonly value: Value };

  /** Its value is what `parse` makes of the text, and of the value so far; without the option, of the text `byDefault`. */
  parsedBy<T>(parse: Parser<T>): Flag<Name, T | undefined>;
  parsedBy<T>(parse: Parser<T>, byDefault: string): Flag<Name, T>;
  parsedBy<T>(parse: Parser<T>, byDefault?: string): unknown {
    if (byDefault !== undefined) this.default(parse(byDefault, undefined), byDefault);
    return this.argParser(parse);
  }

  oneOf<const Word extends string>(words: readonly Word[]): Flag<Name, Word | undefined> {
    return this.choices(words) as unknown as Flag<Name, Word | undefined>;
  }

  /** Refuses a command line that does not give it. */
  mustBeGiven(): Flag<Name, NonNullable<Value>> {
    return this.makeOptionMandatory() as unknown as Flag<Name, NonNullable<Value>>;
  }

  /** Has a value without being given, which help shows as `shown`. */
  byDefault(value: NonNullable<Value>, shown?: string): Flag<Name, NonNullable<Value>> {
    return this.default(value, shown) as unknown as Flag<Name, NonNullable<Value>>;
  }
}

/** The values of options by their names, as a command gets them; those without a default may be absent. */
export type OptionsOf<Flags extends readonly Flag[]> =
  & { [F in Flags[number] as undefined extends F["types"]["value"] ? never : F["types"]["name"]]: F["types"]["value"] }
  & {
    [F in Flags[number] as undefined extends F["types"]["value"] ? F["types"]["name"] : never]?: F["types"]["value"];
  };

/** `-n, --max-active <n>` is `maxActive` to a command. */
type NameIn<Flags extends string> = Flags extends `${string}--${infer Name} ${string}` ? CamelCase<Name> : never;
type CamelCase<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

/** Returns an option that the command line alone can give. */
export function flag<const Flags extends string>(
  flags: Flags,
  description: string,
): Flag<NameIn<Flags>, string | undefined> {
  return new Flag(flags, description);
}

/** Returns an option that an environment variable can give too: `--data-dir` is `CJC_DATA_DIR`. */
export function option<const Flags extends string>(
  flags: Flags,
  description: string,
): Flag<NameIn<Flags>, string | undefined> {
  return withVariable(flag(flags, description));
}

function withVariable<F extends Option>(option: F): F {
  return option.env(`CJC_${option.name().toUpperCase().replaceAll("-", "_")}`);
}

/** Returns an option that is off, or on: `--leader-elect`, `--leader-elect=false`, `CJC_LEADER_ELECT=false`. */
export function switchOption<const Text extends string>(flag: Text, description: string) {
  return option(`${flag} ${SWITCH}`, description).preset("true").parsedBy((text) => {
    if (text !== "true" && text !== "false") throw new InvalidArgumentError("must be true or false.");
    return text === "true";
  }).byDefault(false);
}

/** Returns an option that is on, but for `--no-name`. */
export function onUnlessNo<const Name extends string>(name: Name, description: string): Flag<Name, boolean> {
  return new Flag(`--no-${name}`, description);
}

/** Stands behind the flag of a switch. */
const SWITCH = "[true|false]";

/** Returns an option as people type it: a switch needs no value. */
export function optionTerm({ flags }: Option): string {
  return flags.replace(` ${SWITCH}`, "");
}

/** Returns what holds without the option, unless that is nothing, or its description says so. */
export function shownDefault({ defaultValue, defaultValueDescription, description }: Option): string | undefined {
  if (defaultValue === undefined || defaultValue === false || description.includes("(default")) return undefined;
  const text = defaultValueDescription ?? String(defaultValue);
  return text === "none" ? undefined : text;
}

/** Has a program and all its commands, once they are declared, take options as `switchOption` and `repeatable` say. */
export function prepareOptions(program: Command): void {
  letSwitchesStandAlone(program);
  program.hook("preAction", (_program, command) => splitVariables(command));
}

/** A switch may stand before whatever is no value of it: `logs -f sync`, where commander would take the name for the value. */
function letSwitchesStandAlone(command: Command): void {
  const parse = command.parseOptions.bind(command);
  command.parseOptions = (args) => {
    const end = args.indexOf("--");
    return parse(args.map((arg, i) => {
      const isValued = /^(true|false)$/.test(args[i + 1] ?? "");
      const option = isValued || (end >= 0 && i > end) ? undefined : switchNamed(command, arg);
      return option ? `${option.long}=true` : arg;
    }));
  };
  command.commands.forEach(letSwitchesStandAlone);
}

function switchNamed({ options }: Command, flag: string): Option | undefined {
  return options.find(({ flags, short, long }) => flags.endsWith(SWITCH) && [short, long].includes(flag));
}

class RepeatableFlag<Name extends string> extends Flag<Name> {}

/** Returns an option that may be given several times; its environment variable holds a list with commas. */
export function repeatable<const Flags extends string>(flags: Flags, description: string) {
  return withVariable(new RepeatableFlag<NameIn<Flags>>(flags, `${description} (repeatable)`))
    .parsedBy<readonly string[]>((value, previous = []) => [...previous, value]).byDefault([], "none");
}

function splitVariables(command: Command): void {
  for (const option of command.options.filter((option) => option instanceof RepeatableFlag)) {
    const name = option.attributeName();
    if (command.getOptionValueSource(name) !== "env") continue;
    command.setOptionValueWithSource(name, command.getOptionValue(name).flatMap(splitList), "env");
  }
}

/** `a,b` -> `["a", "b"]`; empty members do not count. */
export function splitList(text: string): string[] {
  return text.split(",").map((part) => part.trim()).filter((part) => part !== "");
}

/** Returns an argument parser for whole numbers within bounds, both included. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : NaN;
    if (!(value >= min && value <= max)) {
      throw new InvalidArgumentError(`must be a whole number from ${min} to ${max}.`);
    }
    return value;
  };
}

/**
 * Returns an argument parser for a length of time in milliseconds: whole seconds (`30`), or a duration as Go writes it
 * (`1m30s`).
 */
export function durationMs(minMs: number, maxMs: number): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) * 1_000 : goDurationMs(text);
    if (!(value >= minMs && value <= maxMs)) {
      throw new InvalidArgumentError(
        `must be seconds or a duration such as 30s or 1m30s, from ${minMs / 1_000} to ${maxMs / 1_000} s.`,
      );
    }
    return value;
  };
}

function goDurationMs(text: string): number {
  try {
    return Number(parseDuration(text) / 1_000_000n);
  } catch {
    return NaN;
  }
}

/**
 * Returns an argument parser for a list with commas whose members must all be among `names`; the empty text is the empty
 * list.
 */
export function listOf<Name extends string>(names: readonly Name[]): (text: string) => Name[] {
  return (text) => {
    const found = splitList(text).map((member) => {
      const name = names.find((each) => each.toLowerCase() === member.toLowerCase());
      if (name !== undefined) return name;
      throw new InvalidArgumentError(`must hold nothing but ${names.join(", ")}: there is no "${member}".`);
    });
    return [...new Set(found)];
  };
}

/** An option, and what it is on a command line. */
type Given<T> = readonly [flag: string, value: T | undefined];

/**
 * Returns the values of two options that go together; undefined where neither is given.
 *
 * @throws {FlagError} where one of them is missing
 */
export function bothOf<A, B>([one, a]: Given<A>, [other, b]: Given<B>): [A, B] | undefined {
  if (a === undefined && b === undefined) return undefined;
  if (a === undefined || b === undefined) throw new FlagError(`Give both ${one} and ${other}, or neither`);
  return [a, b];
}

const JOB_MODES = ["off", "managed", "all"] as const;
export type JobsOption = (typeof JOB_MODES)[number];

/** Returns the option that says which Jobs the Job controller takes, if it runs at all. */
export function jobsOption(byDefault: JobsOption) {
  const description = "whose Pods to run: of no Jobs, of those whose spec.managedBy is " +
    `${OUR_JOB_CONTROLLER}, or of all but those that name another controller`;
  return option("--jobs <which>", description).oneOf(JOB_MODES).byDefault(byDefault);
}

/** The flags that say how log lines look, and which are written. */
export const LOG_OPTIONS = [
  option("--log-format <format>", "how log lines look").oneOf(["text", "json"]).byDefault("text"),
  option("--log-level <level>", "the least level that is logged").oneOf(["debug", "info", "warning", "error"])
    .byDefault("info"),
];
