import { Argument } from "commander";
import { command } from "../command.ts";
import { ConfigError } from "../errors.ts";
import { NEXT_OPTIONS } from "./options.ts";

/** When schedules run. */
export const addNextCommand = command({
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
  options: NEXT_OPTIONS,
  run: async (flags, [text], { clock }) => {
    if ((text === undefined) === (flags.filename === undefined)) {
      throw new ConfigError("Give either SCHEDULE or --filename");
    }
    await (await import("./run.ts")).runNext(text, flags, clock.now());
  },
});
