import { Argument, Option } from "commander";
import { command } from "../command.ts";
import { ACT, targetsOf } from "../flags/choice.ts";
import type { ResumeOptions } from "./run.ts";

/** The reverse of `pause`. */
export const addResumeCommand = command<Omit<ResumeOptions, "names">>({
  name: "resume",
  summary: "follow the schedule again: end pauses, also those after failures in a row",
  text: `
It ends what you have paused yourself, pauses after failures in a row, and what neverTwice holds as the API server has
forgotten records. What another user has paused is left as it is, and
so is what a manifest says (spec.suspend, spec.pause). Of the runs that came due meanwhile the latest starts, unless onResume
is None.`,
  examples: [
    ["resume nightly-report", "what you have paused"],
    ["resume --all -n team-b --reason 'db migration'", "only what was paused for that"],
    ["resume nightly-report --by ana", "what another user has paused"],
  ],
  argument: new Argument("[names...]", "of CronJobs"),
  options: [
    ...ACT,
    new Option("--reason <text>", "only pauses with this reason"),
    new Option("--by <user>", "the pauses of this user (default: your own)"),
  ],
  run: async (options, names, { clock }) => (await import("./run.ts")).runResume(targetsOf(names, options), clock),
});
