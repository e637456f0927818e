import { Argument, Option } from "commander";
import { command } from "../command.ts";
import { switchOption, wholeNumber } from "../flags/options.ts";
import { ONE } from "../flags/choice.ts";
import { HISTORY_SERVER_OPTIONS } from "../flags/history_server_options.ts";
import type { LogsOptions } from "./run.ts";

/** Prints the output of a run's containers. */
export const addLogsCommand = command<Omit<LogsOptions, "name">>({
  name: "logs",
  summary: "print what a run of a CronJob wrote: all containers of all its Pods",
  text: `
Where Pods are gone, it prints what standalone has kept, or the last lines of a termination message that the status or --server remembers.`,
  examples: [
    ["logs nightly-report", "what its last run wrote"],
    ["logs nightly-report --run failed", "what the last run wrote that failed"],
    ["logs nightly-report --run 'Mon 02:00'", "a run by its time; also a Job's name"],
    ["logs nightly-report -f", "and what it goes on to write"],
  ],
  argument: new Argument("<name>", "of a CronJob"),
  options: [
    ...ONE,
    new Option("--run <run>", "which one: last, failed, a time such as 'yesterday 02:00', or a Job's name")
      .default("last"),
    switchOption("-f, --follow", "go on until the run has ended").conflicts("previous"),
    new Option("--tail <n>", "only so many of the last lines of each container").argParser(wholeNumber(0, 1_000_000)),
    switchOption("--previous", "of containers that were started again, what they wrote before"),
    ...HISTORY_SERVER_OPTIONS,
  ],
  run: async (options, [name], { clock }) => (await import("./run.ts")).runLogs({ ...options, name: name! }, clock),
});
