import { Argument } from "commander";
import { command } from "../command.ts";
import { ConfigError } from "../errors.ts";
import { targetsOf } from "../flags/choice.ts";
import { BACKFILL_OPTIONS } from "./options.ts";

/** Runs of the past. */
export const addBackfillCommand = command({
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
  options: BACKFILL_OPTIONS,
  run: async (options, names, { clock }) => {
    const { from, cancel } = options;
    if (!cancel && from === undefined) throw new ConfigError("Give --from, the first time, or --cancel");
    await (await import("./run.ts")).runBackfill(targetsOf(names, options), clock);
  },
});
