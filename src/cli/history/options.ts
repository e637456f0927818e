import { flag, type OptionsOf, switchOption, wholeNumber } from "../flags/options.ts";
import { CHOICE, type Choice } from "../flags/choice.ts";
import { HISTORY_SERVER_OPTIONS } from "../flags/history_server_options.ts";
import { outputOption } from "../flags/output.ts";

/** The flags of `history`. */
export const HISTORY_OPTIONS = [
  ...CHOICE,
  flag("--last <n>", "how many runs").parsedBy(wholeNumber(1, 10_000), "50"),
  switchOption("--failed", "only those that failed, or did not run"),
  flag("--since <time>", "only those since a time such as 2026-10-01, 30d, yesterday, 'Mon 02:00' or RFC 3339"),
  flag("--until <time>", "only those before a time such as 2026-11-01"),
  ...HISTORY_SERVER_OPTIONS,
  outputOption(["table", "json"]),
];

export type HistoryOptions = Choice & OptionsOf<typeof HISTORY_OPTIONS>;
