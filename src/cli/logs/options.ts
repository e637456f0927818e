import { flag, type OptionsOf, switchOption, wholeNumber } from "../flags/options.ts";
import { ONE_CRON_JOB } from "../flags/choice.ts";
import { HISTORY_SERVER_OPTIONS } from "../flags/history_server_options.ts";

/** The flags of `logs`. */
export const LOGS_OPTIONS = [
  ...ONE_CRON_JOB,
  flag("--run <run>", "which one: last, failed, a time such as 'yesterday 02:00', or a Job's name")
    .byDefault("last"),
  switchOption("-f, --follow", "go on until the run has ended").conflicts("previous"),
  flag("--tail <n>", "only so many of the last lines of each container").parsedBy(wholeNumber(0, 1_000_000)),
  switchOption("--previous", "of containers that were started again, what they wrote before"),
  ...HISTORY_SERVER_OPTIONS,
];

export type LogsOptions = OptionsOf<typeof LOGS_OPTIONS> & { readonly name: string };
