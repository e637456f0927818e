import { type Command, InvalidArgumentError, Option } from "commander";
import { OUR_JOB_CONTROLLER } from "../../job/api/names.ts";
import { parseDuration } from "../../schedule/duration.ts";
import { FlagError } from "../errors.ts";
import type { LogLevel } from "../../telemetry/logging.ts";

const LOG_FORMATS = ["text", "json"] as const;
const LOG_LEVELS = ["debug", "info", "warning", "error"] as const;

export interface LogOptions {
  logFormat: (typeof LOG_FORMATS)[number];
  logLevel: Extract<LogLevel, (typeof LOG_LEVELS)[number]>;
}

/** Returns an option that an environment variable can give too: `--data-dir` is `CJC_DATA_DIR`. */
export function option(flags: string, description: string): Option {
  return withVariable(new Option(flags, description));
}

function withVariable(option: Option): Option {
  return option.env(`CJC_${option.name().toUpperCase().replaceAll("-", "_")}`);
}

/** Returns an option that is off, or on: `--leader-elect`, `--leader-elect=false`, `CJC_LEADER_ELECT=false`. */
export function switchOption(flag: string, description: string): Option {
  return option(`${flag} ${SWITCH}`, description).default(false).preset("true").argParser((text) => {
    if (text !== "true" && text !== "false") throw new InvalidArgumentError("must be true or false.");
    return text === "true";
  });
}

/** Stands behind the flag of a switch. */
export const SWITCH = "[true|false]";

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

class RepeatableOption extends Option {}

/** Returns an option that may be given several times; its environment variable holds a list with commas. */
export function repeatable(flags: string, description: string): Option {
  return withVariable(new RepeatableOption(flags, `${description} (repeatable)`))
    .default([], "none")
    .argParser<string[]>((value, previous) => [...previous ?? [], value]);
}

function splitVariables(command: Command): void {
  for (const option of command.options.filter((option) => option instanceof RepeatableOption)) {
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
    const members = splitList(text);
    const unknown = members.find((member) => !names.includes(member as Name));
    if (unknown !== undefined) {
      throw new InvalidArgumentError(`must hold nothing but ${names.join(", ")}: there is no "${unknown}".`);
    }
    return [...new Set(members)] as Name[];
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
export function jobsOption(byDefault: JobsOption): Option {
  const description = "whose Pods to run: of no Jobs, of those whose spec.managedBy is " +
    `${OUR_JOB_CONTROLLER}, or of all but those that name another controller`;
  return option("--jobs <which>", description).choices(JOB_MODES).default(byDefault);
}

/** The flags that say how log lines look, and which are written. */
export const LOG_OPTIONS = [
  option("--log-format <format>", "how log lines look").choices(LOG_FORMATS).default("text"),
  option("--log-level <level>", "the least level that is logged").choices(LOG_LEVELS).default("info"),
];
