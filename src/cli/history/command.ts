import { type Command, Option } from "commander";
import { type Clock, SystemClock } from "../../base/clock.ts";
import { addOptions, switchOption, wholeNumber } from "../options.ts";
import { addChoice, choiceOf } from "../shared/choice.ts";
import type { HistoryOptions } from "./run.ts";
import { addHelpNotes, type HelpNotes } from "../help/notes.ts";
import { outputOption } from "../shared/output.ts";

const NOTES: HelpNotes = {
  text: `
Runs are known from their Jobs, as long as history limits keep them, from the status of the CRDs' CronJobs (ten), and
from Events (an hour). standalone remembers them longer: see --keep-runs.`,
  examples: [
    ["history nightly-report", "its last runs, the newest first"],
    ["history --failed --since 12h -A", "what went wrong last night, in every namespace"],
    ["history nightly-report --failed --since 2d", "what went wrong of one in the last two days"],
  ],
};

/** Adds `history`: the runs of one CronJob, or of many. */
export function addHistoryCommand(program: Command, clock: Clock = new SystemClock()): void {
  addOptions(
    addHelpNotes(addChoice(program.command("history"), "[name]", "of a CronJob (default: all)"), NOTES)
      .summary("show the runs of CronJobs that are known")
      .description("Shows the known runs of a CronJob, or of all: when, how long, how they ended and why."),
    new Option("--last <n>", "how many runs").argParser(wholeNumber(1, 10_000)).default(50),
    switchOption("--failed", "only those that failed, or did not run"),
    new Option("--since <time>", "only those since a time such as 12h, yesterday, 'Mon 02:00' or RFC 3339"),
    outputOption(["table", "json"]),
  )
    .action(async (name: string | undefined, options: Omit<HistoryOptions, "names">) => {
      const asked = choiceOf(name === undefined ? [] : [name], options);
      const { runHistoryCommand } = await import("./run.ts");
      await runHistoryCommand(asked, clock);
    });
}
