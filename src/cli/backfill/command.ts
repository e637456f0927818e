import { Argument, Option } from "commander";
import { command } from "../command.ts";
import { ConfigError } from "../errors.ts";
import { switchOption, wholeNumber } from "../flags/options.ts";
import { ACT, targetsOf } from "../flags/choice.ts";
import type { BackfillOptions } from "./run.ts";

/** Runs of the past. */
export const addBackfillCommand = command<Omit<BackfillOptions, "names">>({
  name: "backfill",
  summary: "run scheduled times of the past that never ran, or also those that failed, or all",
  text: `
The controller carries it out, so it goes on whatever becomes of this command. The real schedule goes first, and the runs of a
back-fill count for nothing else. --dry-run lists what would be started, time by time.`,
  examples: [
    ["backfill sync --from '2026-11-19 00:00' --to '2026-11-20 00:00' --dry-run", "what would be run of a day"],
    ["backfill sync --from 2d --reprocess failed --follow", "what is missing or has failed of two days"],
    [
      "backfill --all -n team-b --from 'yesterday 22:00' --to 'today 06:00'",
      "a night that all CronJobs of a namespace missed",
    ],
    ["backfill sync --cancel", "stop the one that is under way"],
  ],
  argument: new Argument("[names...]", "of CronJobs"),
  options: [
    ...ACT,
    new Option("--from <time>", "the first time: '2026-11-19 00:00' in its zone, RFC 3339, 'yesterday 02:00', 2d"),
    new Option("--to <time>", "the end, itself not included (default: now)"),
    new Option("--reprocess <which>", "times that never ran, those whose last run failed as well, or all")
      .choices(["missing", "failed", "all"]).default("missing"),
    new Option("--max-active <n>", "how many runs of a CronJob may be active at a time").argParser(wholeNumber(1, 100))
      .default(1),
    switchOption("--reverse", "begin with the newest"),
    new Option("--max-slots <n>", "refuse it where a CronJob has more scheduled times (default: 1000)")
      .argParser(wholeNumber(1, 100_000)),
    switchOption("--yes", "more than 1000 scheduled times are meant, of all CronJobs together"),
    switchOption("--follow", "wait for its end: exit code 1 if a run failed").conflicts("dryRun"),
    switchOption("--cancel", "stop the one that is under way")
      .conflicts(["from", "to", "reprocess", "maxActive", "reverse", "maxSlots", "yes", "follow"]),
  ],
  run: async (options, names, { clock }) => {
    const { from, cancel } = options;
    if (!cancel && from === undefined) throw new ConfigError("Give --from, the first time, or --cancel");
    await (await import("./run.ts")).runBackfill(targetsOf(names, options), clock);
  },
});
