import { ConfigError } from "../errors.ts";
import { flag, type OptionsOf, wholeNumber } from "../flags/options.ts";
import { BY_OPTION } from "../flags/by_option.ts";
import { outputOption } from "../flags/output.ts";

/** The flags of `next`. */
export const NEXT_OPTIONS = [
  flag("-z, --time-zone <name>", "zone of the tz database whose wall clock counts (default: UTC)"),
  flag("-n, --count <n>", "how many runs").parsedBy(wholeNumber(1, 10_000), "5"),
  flag("--from <time>", "look after this time: 'tomorrow 02:00', 'Mon', 3h or RFC 3339 (default: now)"),
  flag("--name <namespace/name>", "the CronJob by whose name H in the schedule is spread").parsedBy(readName),
  flag("-f, --filename <path>", "manifests: a file, a directory, or - for standard input")
    // A manifest has these itself.
    .conflicts(["timeZone", "name", "grammar"]),
  BY_OPTION,
  flag("--grammar <name>", "who reads the schedule: Kubernetes, or the tutorial's CRD and the annotation")
    .oneOf(["kubernetes", "extended"]).byDefault("kubernetes"),
  outputOption(["table", "json"]),
];

export type NextFlags = OptionsOf<typeof NEXT_OPTIONS>;

function readName(text: string): string {
  if (/^[^/\s]+\/[^/\s]+$/.test(text)) return text;
  throw new ConfigError(`--name must be NAMESPACE/NAME, current value is ${text}`);
}
