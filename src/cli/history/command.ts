import { Argument, Option } from "commander";
import { command } from "../command.ts";
import { switchOption, wholeNumber } from "../flags/options.ts";
import { CHOICE, choiceOf } from "../flags/choice.ts";
import { HISTORY_SERVER_OPTIONS } from "../flags/history_server_options.ts";
import { outputOption } from "../flags/output.ts";
import type { HistoryOptions } from "./run.ts";

/** The runs of one CronJob, or of many. */
export const addHistoryCommand = command<Omit<HistoryOptions, "names">>({
  name: "history",
  summary: "show the known runs of CronJobs: when, how long, how they ended and why",
  text: `
Runs are known from their Jobs, as long as history limits keep them, from the status of the CRDs' CronJobs (ten), and
from Events (an hour). standalone remembers them longer (--keep-runs), and so does a controller with --history-dir, whose
dashboard --server names.`,
  examples: [
    ["history nightly-report", "its last runs, the newest first"],
    ["history --failed --since 12h -A", "what went wrong last night, in every namespace"],
    ["history nightly-report --failed --since 2d", "what went wrong of one in the last two days"],
    [
      "history nightly-report --since 30d --server https://cronjobs.example.com --token-file token",
      "runs of a month, those included whose Jobs are gone",
    ],
  ],
  argument: new Argument("[name]", "of a CronJob (default: all)"),
  options: [
    ...CHOICE,
    new Option("--last <n>", "how many runs").argParser(wholeNumber(1, 10_000)).default(50),
    switchOption("--failed", "only those that failed, or did not run"),
    new Option("--since <time>", "only those since a time such as 12h, yesterday, 'Mon 02:00' or RFC 3339"),
    ...HISTORY_SERVER_OPTIONS,
    outputOption(["table", "json"]),
  ],
  run: async (options, names, { clock }) =>
    (await import("./run.ts")).runHistoryCommand(choiceOf(names, options), clock),
});
