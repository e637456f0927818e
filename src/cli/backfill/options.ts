import { flag, type OptionsOf, switchOption, wholeNumber } from "../flags/options.ts";
import { ACT, type ActOptions } from "../flags/choice.ts";

/** The flags of `backfill`. */
export const BACKFILL_OPTIONS = [
  ...ACT,
  flag("--from <time>", "the first time: '2026-11-19 00:00' in its zone, RFC 3339, 'yesterday 02:00', 2d"),
  flag("--to <time>", "the end, itself not included (default: now)"),
  flag("--reprocess <which>", "times that never ran, those whose last run failed as well, or all")
    .oneOf(["missing", "failed", "all"]).byDefault("missing"),
  flag("--max-active <n>", "how many runs of a CronJob may be active at a time").parsedBy(wholeNumber(1, 100), "1"),
  switchOption("--reverse", "begin with the newest"),
  flag("--max-slots <n>", "refuse it where a CronJob has more scheduled times (default: 1000)")
    .parsedBy(wholeNumber(1, 100_000)),
  switchOption("--yes", "more than 1000 scheduled times are meant, of all CronJobs together"),
  switchOption("--follow", "wait for its end: exit code 1 if a run failed").conflicts("dryRun"),
  switchOption("--cancel", "stop the one that is under way")
    .conflicts(["from", "to", "reprocess", "maxActive", "reverse", "maxSlots", "yes", "follow"]),
];

export type BackfillOptions = ActOptions & OptionsOf<typeof BACKFILL_OPTIONS>;
