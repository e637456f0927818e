import { type Command, Option } from "commander";
import { ConfigError } from "../errors.ts";
import { switchOption } from "../options.ts";
import { apiOption } from "./api_option.ts";
import { addSelectOptions, checkSelectOptions, type SelectOptions } from "./select_options.ts";

/** Which CronJobs a command changes, and whether it does. */
export interface TargetOptions extends SelectOptions {
  names: readonly string[];
  all: boolean;
  dryRun: boolean;
}

/** The same for a command that acts on CronJobs of several APIs. */
export interface ChooseOptions extends TargetOptions {
  /** Empty: all. */
  api: readonly string[];
  output: "text" | "json";
}

/** Returns the arguments and options of commands that change CronJobs. */
export function addTargetOptions(command: Command, ofWhat = "of CronJobs"): Command {
  command.argument("[names...]", ofWhat);
  return addSelectOptions(command)
    .addOption(switchOption("--all", "all CronJobs of the namespace, or with --all-namespaces of every one"))
    .addOption(switchOption("--dry-run", "print what would be done, and change nothing"));
}

/** Returns the arguments and options of commands that act on CronJobs of several APIs. */
export function addChooseOptions(command: Command): Command {
  return addTargetOptions(command)
    .addOption(apiOption({ otherwise: "of every API" }))
    .addOption(new Option("-o, --output <format>", "how to print").choices(["text", "json"]).default("text"));
}

/** @throws {ConfigError} where it isn't clear which CronJobs are meant */
export function checkTargetOptions(options: TargetOptions): void {
  const { names, all, selector } = options;
  checkSelectOptions(options, names);
  if (names.length > 0 && all) throw new ConfigError("Give either names or --all, not both");
  if (names.length === 0 && !all && selector === undefined) {
    throw new ConfigError("Give names of CronJobs, --selector or --all");
  }
}
