import { Argument } from "commander";
import { command } from "../command.ts";
import { ConfigError } from "../errors.ts";
import type { HelpNotes } from "../help/notes.ts";
import { IMPORT_OPTIONS } from "./options.ts";

const EXAMPLES: HelpNotes["examples"] = [
  ["import crontab > cron-jobs.yaml", "your own crontab, for standalone --apply cron-jobs.yaml"],
  ["import crontab --system --image registry.example/tools:1 --namespace ops", "the machine's, for a cluster"],
];

const addCrontabCommand = command({
  name: "crontab",
  summary: "turn the entries of crontabs into CronJobs, and print them as YAML",
  text: `
Without a file it reads your own crontab; with --system /etc/crontab and /etc/cron.d. Entries are read by the rules of Debian's
cron. What is not understood is named on stderr, and stands in the YAML as a comment. Without --image the CronJobs are for standalone, which runs commands as your own processes. A comment
"# name: nightly-report" right above an entry names its CronJob.`,
  examples: EXAMPLES,
  argument: new Argument("[files...]", "crontabs, or - for standard input"),
  options: IMPORT_OPTIONS,
  run: async (flags, files, { clock }) => {
    if (files.filter((file) => file === "-").length > 1) {
      throw new ConfigError("Standard input can be read once: give - once");
    }
    await (await import("./run.ts")).runImportCrontab(files, flags, clock.now());
  },
});

/** Turns the entries of other schedulers into CronJobs. */
export const addImportCommand = command({
  name: "import",
  summary: "turn what other schedulers run into CronJobs",
  examples: EXAMPLES,
  commands: [addCrontabCommand],
});
