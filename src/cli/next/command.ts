import { type Command, Option } from "commander";
import { type Clock, SystemClock } from "../../base/clock.ts";
import { ConfigError } from "../errors.ts";
import { byOption } from "../shared/by_option.ts";
import type { NextFlags } from "./run.ts";
import { addHelpNotes, type HelpNotes } from "../help/notes.ts";
import { outputOption } from "../shared/output.ts";
import { addOptions, givenFlag, wholeNumber } from "../options.ts";

const NOTES: HelpNotes = {
  examples: [
    ["next '0 2 * * *' --time-zone Europe/Berlin", "when it runs, and what clock changes do to it"],
    ["next 'H H(1-5) * * *' --name default/report", "where H puts that CronJob"],
    ["next '0 9 LW * *' --grammar extended", "the last weekday of each month"],
    ["next -f manifests/", "the next runs of every CronJob in the manifests"],
  ],
};

/** Adds `next`: when schedules run. */
export function addNextCommand(program: Command, clock: Clock = new SystemClock()): void {
  addOptions(
    addHelpNotes(program.command("next"), NOTES)
      .summary("show when a schedule, or every CronJob in manifests, runs next")
      .description("Shows when a schedule, or every CronJob in manifests, runs next. No cluster is needed.")
      .argument("[schedule]", "five fields or a descriptor, as in spec.schedule (quote it)")
      .option("-z, --time-zone <name>", "zone of the tz database whose wall clock counts (default: UTC)")
      .option("-n, --count <n>", "how many runs", wholeNumber(1, 10_000), 5)
      .option("--from <time>", "look after this time: 'tomorrow 02:00', 'Mon', 3h or RFC 3339 (default: now)")
      .option("--name <namespace/name>", "the CronJob by whose name H in the schedule is spread", readName)
      .option("-f, --filename <path>", "manifests: a file, a directory, or - for standard input")
      .addOption(byOption()),
    new Option("--grammar <name>", "who reads the schedule: Kubernetes, or the tutorial's CRD and the annotation")
      .choices(["kubernetes", "extended"]).default("kubernetes"),
    outputOption(["table", "json"]),
  )
    .action(async (text: string | undefined, flags: NextFlags, command: Command) => {
      if ((text === undefined) === (flags.filename === undefined)) {
        throw new ConfigError("Give either SCHEDULE or --filename");
      }
      const idle = flags.filename === undefined ? undefined : givenFlag(command, IN_MANIFESTS);
      if (idle !== undefined) throw new ConfigError(`Leave ${idle} out with --filename: manifests say it themselves`);
      const { runNext } = await import("./run.ts");
      await runNext(text, flags, clock.now());
    });
}

/** Options that a manifest answers. */
const IN_MANIFESTS = ["timeZone", "name", "grammar"];

function readName(text: string): string {
  if (!/^[^/\s]+\/[^/\s]+$/.test(text)) {
    throw new ConfigError(`--name must be NAMESPACE/NAME, current value is ${text}`);
  }
  return text;
}
