import type { Command } from "commander";
import { ConfigError } from "../errors.ts";
import { option, switchOption } from "../options.ts";
import { addConnectionOptions, type ConnectionOptions } from "./connection_options.ts";

/** Which CronJobs a command looks at. */
export interface SelectOptions extends ConnectionOptions {
  allNamespaces: boolean;
  /** Undefined: that of the context, else `default`. */
  namespace?: string;
  selector?: string;
}

/** Returns the options of commands that look at CronJobs. */
export function addSelectOptions(command: Command): Command {
  return addConnectionOptions(
    command
      .addOption(option("-n, --namespace <name>", "where they are (default: the context's namespace)"))
      .addOption(switchOption("-A, --all-namespaces", "those of every namespace"))
      .addOption(option("-l, --selector <labels>", "only those with these labels, as kubectl has it")),
  );
}

/** @throws {ConfigError} where it isn't clear which CronJobs are meant */
export function checkSelectOptions({ allNamespaces, namespace, selector }: SelectOptions, names: readonly string[]) {
  if (allNamespaces && namespace !== undefined) {
    throw new ConfigError("Give either --namespace or --all-namespaces, not both");
  }
  if (allNamespaces && names.length > 0) throw new ConfigError("Names need one namespace: leave --all-namespaces out");
  if (selector !== undefined && names.length > 0) throw new ConfigError("Give either names or --selector, not both");
}
