import { type Command, Option } from "commander";
import { ConfigError } from "../errors.ts";
import { switchOption } from "../options.ts";
import { apiOption } from "./api_option.ts";
import { addSelectOptions, checkSelectOptions, type SelectOptions } from "./select_options.ts";

/** Which CronJobs a command acts on, and whether it does. */
export interface ChooseOptions extends SelectOptions {
  names: readonly string[];
  all: boolean;
  /** Empty: all. */
  api: readonly string[];
  dryRun: boolean;
  output: "text" | "json";
}

/** Returns the arguments and options of commands that act on CronJobs. */
export function addChooseOptions(command: Command): Command {
  command.argument("[names...]", "of CronJobs");
  return addSelectOptions(command)
    .addOption(switchOption("--all", "all CronJobs of the namespace, or with --all-namespaces of every one"))
    .addOption(apiOption({ otherwise: "of every API" }))
    .addOption(switchOption("--dry-run", "print what would be done, and change nothing"))
    .addOption(new Option("-o, --output <format>", "how to print").choices(["text", "json"]).default("text"));
}

/** @throws {ConfigError} where it isn't clear which CronJobs are meant */
export function checkChooseOptions(options: ChooseOptions): void {
  const { names, all, selector } = options;
  checkSelectOptions(options, names);
  if (names.length > 0 && all) throw new ConfigError("Give either names or --all, not both");
  if (names.length === 0 && !all && selector === undefined) {
    throw new ConfigError("Give names of CronJobs, --selector or --all");
  }
}
