import { type Command, Option } from "commander";
import { type Clock, SystemClock } from "../../base/clock.ts";
import { ConfigError } from "../errors.ts";
import { byOption } from "../shared/by_option.ts";
import { MOST_RUNS, type NextFlags } from "./flags.ts";
import { addHelpNotes, type HelpNotes } from "../help/notes.ts";
import { outputOption } from "../shared/output.ts";
import { addOptions } from "../options.ts";

const NOTES: HelpNotes = {
  examples: [
    ["next '0 2 * * *' --time-zone Europe/Berlin", "when it runs, and what clock changes do to it"],
    ["next 'H H(1-5) * * *' --name default/report", "where H puts that CronJob"],
    ["next '0 9 LW * *' --grammar extended", "the last weekday of each month"],
    ["next -f manifests/", "the next runs of every CronJob in the manifests"],
    ["next --batch", 'each line {"schedule","timeZone","from","count"} of standard input gets one {"schedule","next"}'],
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
      .option("-n, --count <n>", "how many runs", readCount, 5)
      .option("--from <time>", "look after this time: 'tomorrow 02:00', 'Mon', 3h or RFC 3339 (default: now)")
      .option("--name <namespace/name>", "the CronJob by whose name H in the schedule is spread", readName)
      .option("-f, --filename <path>", "manifests: a file, a directory, or - for standard input")
      .addOption(byOption())
      .option("--batch", "read questions as JSON Lines from standard input and answer each with a line of JSON"),
    new Option("--grammar <name>", "who reads the schedule: Kubernetes, or the tutorial's CRD and the annotation")
      .choices(["kubernetes", "extended"]).default("kubernetes"),
    outputOption(["table", "json"]),
  )
    .action(async (text: string | undefined, flags: NextFlags, command: Command) => {
      const asked = [text !== undefined, flags.filename !== undefined, flags.batch === true].filter(Boolean).length;
      if (asked !== 1) throw new ConfigError("Give exactly one of SCHEDULE, --filename and --batch");
      CONTRADICTIONS.forEach((contradiction) => refuse(contradiction, command));
      const { runNext } = await import("./run.ts");
      await runNext(text, flags, clock.now());
    });
}

/** Options that would say nothing beside another one, and why. */
interface Contradiction {
  readonly beside: string;
  readonly options: readonly string[];
  readonly because: string;
}

const CONTRADICTIONS: readonly Contradiction[] = [
  { beside: "--filename", options: ["--time-zone", "--name", "--grammar"], because: "manifests say it themselves" },
  { beside: "--batch", options: ["--output", "--by"], because: "answers are JSON Lines of schedules" },
];

/** @throws {ConfigError} */
function refuse({ beside, options, because }: Contradiction, command: Command): void {
  const given = command.options.filter((option) => command.getOptionValueSource(option.attributeName()) === "cli")
    .map(({ long }) => long!);
  const refused = given.find((option) => options.includes(option));
  if (given.includes(beside) && refused !== undefined) {
    throw new ConfigError(`Leave ${refused} out with ${beside}: ${because}`);
  }
}

function readCount(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1 || count > MOST_RUNS) {
    throw new ConfigError(`--count must be a whole number from 1 to ${MOST_RUNS}, current value is ${text}`);
  }
  return count;
}

function readName(text: string): string {
  if (!/^[^/\s]+\/[^/\s]+$/.test(text)) {
    throw new ConfigError(`--name must be NAMESPACE/NAME, current value is ${text}`);
  }
  return text;
}
