import { Argument, Option } from "commander";
import { BATCH, FLAVOURS, PRODUCTION } from "../../cronjob/api/flavour.ts";
import { command } from "../command.ts";
import { ConfigError } from "../errors.ts";
import type { HelpNotes } from "../help/notes.ts";
import { switchOption } from "../flags/options.ts";
import { outputOption } from "../flags/output.ts";
import type { ImportFlags } from "./run.ts";

const EXAMPLES: HelpNotes["examples"] = [
  ["import crontab > cron-jobs.yaml", "your own crontab, for standalone --apply cron-jobs.yaml"],
  ["import crontab --system --image registry.example/tools:1 --namespace ops", "the machine's, for a cluster"],
];

const addCrontabCommand = command<ImportFlags>({
  name: "crontab",
  summary: "turn the entries of crontabs into CronJobs, and print them as YAML",
  text: `
Without a file it reads your own crontab; with --system /etc/crontab and /etc/cron.d. Entries are read by the rules of Debian's
cron. What is not understood is named on stderr, and stands in the YAML as a comment. Without --image the CronJobs are for standalone, which runs commands as your own processes. A comment
"# name: nightly-report" right above an entry names its CronJob.`,
  examples: EXAMPLES,
  argument: new Argument("[files...]", "crontabs, or - for standard input"),
  options: [
    switchOption("--system", "a user stands before each command, as in /etc/crontab and /etc/cron.d"),
    new Option(
      "--api <apiVersion>",
      `of the CronJobs (default: ${PRODUCTION.apiVersion}, with --image ${BATCH.apiVersion})`,
    ).choices(FLAVOURS.map(({ apiVersion }) => apiVersion)),
    new Option("-n, --namespace <name>", "of the CronJobs (default: none is written)"),
    new Option("--host <name>", "of several machines: the one with whose name the CronJobs' names begin"),
    new Option("--image <image>", "for a cluster: the image that has the programs"),
    new Option("-z, --time-zone <name>", "whose wall clock the crontab goes by (default: this machine's)"),
    outputOption(["yaml", "json"]),
  ],
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
