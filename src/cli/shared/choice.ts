import type { Command } from "commander";
import { ConfigError } from "../errors.ts";
import { addOptions, option, switchOption } from "../options.ts";
import { apiOption } from "./api_option.ts";
import { addConnectionOptions, type ConnectionOptions } from "./connection_options.ts";
import { outputOption } from "./output.ts";

/** Which CronJobs a command is about. A flag that the command lacks is absent. */
export interface Choice extends ConnectionOptions {
  /** Empty: all that the flags leave. */
  names: readonly string[];
  /** Undefined: that of the context, else `default`. */
  namespace?: string;
  allNamespaces?: boolean;
  selector?: string;
  /** Empty: of every API. */
  api?: readonly string[];
}

/** The CronJobs that a command changes, and whether it does. */
export interface Targets extends Choice {
  all: boolean;
  dryRun: boolean;
}

/** The same of a command that acts on CronJobs of several APIs. */
export interface ActOptions extends Targets {
  output: "text" | "json";
  /** Whether to wait for the end of what is begun: of one CronJob. */
  follow?: boolean;
}

/** Adds the argument and the flags that say which CronJobs are meant; all but `<name>` may name none, and mean all. */
export function addChoice(
  command: Command,
  argument: "<name>" | "[name]" | "[names...]",
  ofWhat = "of CronJobs",
): Command {
  const isOne = argument === "<name>";
  const where = `where ${isOne ? "it is" : "they are"} (default: the context's namespace)`;
  command.argument(argument, ofWhat).addOption(option("-n, --namespace <name>", where));
  if (!isOne) {
    command.addOption(switchOption("-A, --all-namespaces", "those of every namespace"))
      .addOption(option("-l, --selector <labels>", "only those with these labels, as kubectl has it"));
  }
  return addConnectionOptions(command);
}

/** The same for a command that changes CronJobs. */
export function addTargets(command: Command, ofWhat?: string): Command {
  return addOptions(
    addChoice(command, "[names...]", ofWhat),
    switchOption("--all", "all CronJobs of the namespace, or with --all-namespaces of every one"),
    switchOption("--dry-run", "print what would be done, and change nothing"),
  );
}

/** The same for a command that acts on CronJobs of several APIs. */
export function addActOptions(command: Command): Command {
  return addOptions(addTargets(command), apiOption({ otherwise: "of every API" }), outputOption(["text", "json"]));
}

/**
 * Returns the choice with its names.
 *
 * @throws {ConfigError} where it isn't clear which CronJobs are meant
 */
export function choiceOf<T extends Omit<Choice, "names">>(names: readonly string[], options: T): T & Choice {
  const { allNamespaces, namespace, selector } = options;
  if (allNamespaces && namespace !== undefined) {
    throw new ConfigError("Give either --namespace or --all-namespaces, not both");
  }
  if (allNamespaces && names.length > 0) throw new ConfigError("Names need one namespace: leave --all-namespaces out");
  if (selector !== undefined && names.length > 0) throw new ConfigError("Give either names or --selector, not both");
  return { ...options, names };
}

/** The same for a command that changes CronJobs: it never means all unasked. */
export function targetsOf<T extends Omit<Targets & Partial<ActOptions>, "names">>(
  names: readonly string[],
  options: T,
): T & Targets {
  const { all, selector, follow, dryRun, output } = options;
  if (names.length > 0 && all) throw new ConfigError("Give either names or --all, not both");
  if (names.length === 0 && !all && selector === undefined) {
    throw new ConfigError("Give names of CronJobs, --selector or --all");
  }
  if (follow && dryRun) throw new ConfigError("Give either --follow or --dry-run, not both");
  if (follow && output === "json") throw new ConfigError("Give either --follow or --output json, not both");
  return choiceOf(names, options);
}
