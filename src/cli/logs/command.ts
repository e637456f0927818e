import { Argument } from "commander";
import { command } from "../command.ts";
import { LOGS_OPTIONS } from "./options.ts";

/** Prints the output of a run's containers. */
export const addLogsCommand = command({
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
  options: LOGS_OPTIONS,
  run: async (options, [name], { clock }) => (await import("./run.ts")).runLogs({ ...options, name: name! }, clock),
});
