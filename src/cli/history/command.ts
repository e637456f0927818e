import { type Command, Option } from "commander";
import { type Clock, SystemClock } from "../../runtime/clock.ts";
import { switchOption, wholeNumber } from "../options.ts";
import { addCronJobCommand } from "../shared/cron_job_command.ts";
import type { HistoryOptions } from "./run.ts";
import { addHelpNotes, type HelpNotes } from "../help/notes.ts";

const NOTES: HelpNotes = {
  text: `
Runs are known from their Jobs, as long as history limits keep them, from the status of the CRDs' CronJobs (ten), and
from Events (an hour). standalone remembers them longer: see --keep-runs.`,
  examples: [
    ["history nightly-report", "its last runs, the newest first"],
    ["history nightly-report --failed --since 2d", "what went wrong in the last two days"],
  ],
};

/** Adds `history`: the runs of a CronJob. */
export function addHistoryCommand(program: Command, clock: Clock = new SystemClock()): void {
  addHelpNotes(addCronJobCommand(program, "history"), NOTES)
    .summary("show the runs of a CronJob that are known")
    .description("Shows the known runs of a CronJob: how late, how long, how they ended and why.")
    .addOption(new Option("--last <n>", "how many runs").argParser(wholeNumber(1, 10_000)).default(50))
    .addOption(switchOption("--failed", "only those that failed, or did not run"))
    .addOption(new Option("--since <time>", "only those since a time such as 12h, yesterday, 'Mon 02:00' or RFC 3339"))
    .addOption(new Option("-o, --output <format>", "how to print").choices(["table", "json"]).default("table"))
    .action(async (name: string, options: Omit<HistoryOptions, "name">) => {
      const { runHistoryCommand } = await import("./run.ts");
      await runHistoryCommand({ ...options, name }, clock);
    });
}
