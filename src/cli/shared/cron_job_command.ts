import type { Command } from "commander";
import { option } from "../options.ts";
import { addConnectionOptions } from "./connection_options.ts";

/** Adds a command about one CronJob of a cluster, which its argument names. */
export function addCronJobCommand(program: Command, name: string): Command {
  const command = program.command(name)
    .argument("<name>", "of a CronJob")
    .addOption(option("-n, --namespace <name>", "where it is (default: the context's namespace)"));
  return addConnectionOptions(command);
}
