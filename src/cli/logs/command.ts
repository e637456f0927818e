import { type Command, Option } from "commander";
import { type Clock, SystemClock } from "../../base/clock.ts";
import { ConfigError } from "../errors.ts";
import { addOptions, switchOption, wholeNumber } from "../options.ts";
import { addChoice } from "../shared/choice.ts";
import type { LogsOptions } from "./run.ts";
import { addHelpNotes, type HelpNotes } from "../help/notes.ts";

const NOTES: HelpNotes = {
  examples: [
    ["logs nightly-report", "what its last run wrote"],
    ["logs nightly-report --run failed", "what the last run wrote that failed"],
    ["logs nightly-report --run 'Mon 02:00'", "a run by its time; also a Job's name"],
    ["logs nightly-report -f", "and what it goes on to write"],
  ],
};

/** Adds `logs`: what a run's containers wrote. */
export function addLogsCommand(program: Command, clock: Clock = new SystemClock()): void {
  addOptions(
    addHelpNotes(addChoice(program.command("logs"), "<name>", "of a CronJob"), NOTES)
      .summary("print what a run of a CronJob wrote")
      .description(
        "Prints what all containers of all Pods of a run wrote; behind their names where there are several.",
      ),
    new Option("--run <run>", "which one: last, failed, a time such as 'yesterday 02:00', or a Job's name").default(
      "last",
    ),
    switchOption("-f, --follow", "go on until the run has ended"),
    new Option("--tail <n>", "only so many of the last lines of each container").argParser(wholeNumber(0, 1_000_000)),
    switchOption("--previous", "of containers that were started again, what they wrote before"),
  )
    .action(async (name: string, options: Omit<LogsOptions, "name">) => {
      if (options.follow && options.previous) {
        throw new ConfigError("Give either --follow or --previous: what was written before does not go on");
      }
      const { runLogs } = await import("./run.ts");
      await runLogs({ ...options, name }, clock);
    });
}
