import { Argument } from "commander";
import { command } from "../command.ts";
import { choiceOf } from "../flags/choice.ts";
import { HISTORY_OPTIONS } from "./options.ts";

/** The runs of one CronJob, or of many. */
export const addHistoryCommand = command({
  name: "history",
  summary: "show the known runs of CronJobs: when, how long, how they ended and why",
  text: `
Runs are known from their Jobs, as long as history limits keep them, from the status of the CRDs' CronJobs (ten), and
from Events (an hour). standalone remembers them longer (--keep-runs), and so does a controller with --history-dir, whose
dashboard --server names.`,
  examples: [
    ["history nightly-report", "its last runs, the newest first"],
    ["history --failed --since 12h -A", "what went wrong last night, in every namespace"],
    [
      "history nightly-report --failed --since 2026-10-01 --until 2026-11-01",
      "what went wrong of one in October",
    ],
    [
      "history nightly-report --since 30d --server https://cronjobs.example.com --token-file token",
      "runs of a month, those included whose Jobs are gone",
    ],
  ],
  argument: new Argument("[name]", "of a CronJob (default: all)"),
  options: HISTORY_OPTIONS,
  run: async (options, names, { clock }) =>
    (await import("./run.ts")).runHistoryCommand(choiceOf(names, options), clock),
});
