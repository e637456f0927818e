import { flag, type OptionsOf, switchOption } from "../flags/options.ts";
import { BY_OPTION } from "../flags/by_option.ts";
import { ONE_CRON_JOB } from "../flags/choice.ts";
import { HISTORY_SERVER_OPTIONS } from "../flags/history_server_options.ts";
import { outputOption } from "../flags/output.ts";

/** The flags of `explain`. */
export const EXPLAIN_OPTIONS = [
  ...ONE_CRON_JOB,
  flag(
    "--at <time>",
    "a time such as 02:00, 'tomorrow 02:00', '2026-11-21 02:00' in its zone or RFC 3339; '2h ago' or 'in 2h': the " +
      "scheduled time next to that; yesterday or 'last friday': the first of that day",
  ).conflicts("job"),
  flag("--job <name>", "one of its Jobs").conflicts("filename"),
  flag("-f, --filename <path>", "read it from manifests in place of a cluster"),
  ...HISTORY_SERVER_OPTIONS,
  BY_OPTION,
  outputOption(["text", "json"]),
  switchOption("--exit-code", "exit code 1 if it did not run, or failed; 2 if there was no answer"),
];

export type ExplainOptions = OptionsOf<typeof EXPLAIN_OPTIONS> & { readonly name: string };
