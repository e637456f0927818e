import { Argument, Option } from "commander";
import { command } from "../command.ts";
import { ConfigError } from "../errors.ts";
import { wholeNumber } from "../flags/options.ts";
import { byOption } from "../flags/by_option.ts";
import { outputOption } from "../flags/output.ts";
import type { NextFlags } from "./run.ts";

/** When schedules run. */
export const addNextCommand = command<NextFlags>({
  name: "next",
  summary: "show when a schedule, or every CronJob in manifests, runs next",
  text: "No cluster is needed.",
  examples: [
    ["next '0 2 * * *' --time-zone Europe/Berlin", "when it runs, and what clock changes do to it"],
    ["next 'H H(1-5) * * *' --name default/report", "where H puts that CronJob"],
    ["next '0 9 LW * *' --grammar extended", "the last weekday of each month"],
    ["next -f manifests/", "the next runs of every CronJob in the manifests"],
  ],
  argument: new Argument("[schedule]", "five fields or a descriptor, as in spec.schedule (quote it)"),
  options: [
    new Option("-z, --time-zone <name>", "zone of the tz database whose wall clock counts (default: UTC)"),
    new Option("-n, --count <n>", "how many runs").argParser(wholeNumber(1, 10_000)).default(5),
    new Option("--from <time>", "look after this time: 'tomorrow 02:00', 'Mon', 3h or RFC 3339 (default: now)"),
    new Option("--name <namespace/name>", "the CronJob by whose name H in the schedule is spread").argParser(readName),
    new Option("-f, --filename <path>", "manifests: a file, a directory, or - for standard input")
      // A manifest has these itself.
      .conflicts(["timeZone", "name", "grammar"]),
    byOption(),
    new Option("--grammar <name>", "who reads the schedule: Kubernetes, or the tutorial's CRD and the annotation")
      .choices(["kubernetes", "extended"]).default("kubernetes"),
    outputOption(["table", "json"]),
  ],
  run: async (flags, [text], { clock }) => {
    if ((text === undefined) === (flags.filename === undefined)) {
      throw new ConfigError("Give either SCHEDULE or --filename");
    }
    await (await import("./run.ts")).runNext(text, flags, clock.now());
  },
});

function readName(text: string): string {
  if (/^[^/\s]+\/[^/\s]+$/.test(text)) return text;
  throw new ConfigError(`--name must be NAMESPACE/NAME, current value is ${text}`);
}
