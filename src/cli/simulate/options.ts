import { flag, option, type OptionsOf, repeatable, switchOption, wholeNumber } from "../flags/options.ts";
import { BY_OPTION } from "../flags/by_option.ts";
import { CONNECTION_OPTIONS } from "../flags/connection_options.ts";
import { outputOption } from "../flags/output.ts";
import { zoneName } from "../flags/names.ts";
import { readDurations } from "./durations.ts";

/** The flags of `simulate`. */
export const SIMULATE_OPTIONS = [
  repeatable("-f, --filename <path>", "manifests: a file, a directory, or - for standard input"),
  BY_OPTION,
  switchOption("--with-cluster", "the CronJobs of the cluster too, before and after the manifests"),
  option("-n, --namespace <name>", "only those of this namespace (default: all)"),
  flag("--day <date>", "a day such as 2026-12-24, Mon, yesterday, today or tomorrow (default: tomorrow)")
    .conflicts(["from", "to"]),
  flag("--from <time>", "in place of a day: from a time such as 22:00, 'Mon 08:00', RFC 3339 or 2h"),
  flag("--to <time>", "up to the first such time after --from (default: a day after it)"),
  flag("-z, --time-zone <name>", "whose wall clock counts (default: that of most of the CronJobs)")
    .parsedBy(zoneName),
  flag("--durations <which>", "how long runs last: history (p95), p50, p95, or a length such as 30s")
    .parsedBy(readDurations, "history"),
  flag("--max-starts <n>", "exit code 1 if more start in one minute").parsedBy(wholeNumber(0, 10_000_000)),
  flag("--max-active <n>", "exit code 1 if more are active at once").parsedBy(wholeNumber(0, 10_000_000)),
  outputOption(["text", "json"]),
  switchOption("--ascii", "draw with ASCII alone"),
  ...CONNECTION_OPTIONS,
];

export type SimulateOptions = OptionsOf<typeof SIMULATE_OPTIONS>;
