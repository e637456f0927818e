import { Argument } from "commander";
import { command } from "../command.ts";
import { ACT, targetsOf } from "../flags/choice.ts";
import { flag } from "../flags/options.ts";

const NAMES = new Argument("[names...]", "of CronJobs");

/** No runs by the schedule for a while. */
export const addPauseCommand = command({
  name: "pause",
  summary: "start no runs on schedule until CronJobs are resumed, or until a time",
  text: `
The annotation cronjob-controller.dev/pause says who paused a CronJob, why and until when. One that is paused already is left
as it is. Active runs go on, and a run by hand is possible. A batch/v1 CronJob that kube-controller-manager may run is
suspended instead, without an end; adopt makes one possible.`,
  examples: [
    ["pause nightly-report --until 'Mon 08:00' --reason 'db migration'", "as its own clock says"],
    ["pause --all -n team-b --until 2h", "all CronJobs of a namespace, for two hours"],
  ],
  argument: NAMES,
  options: [
    ...ACT,
    flag(
      "--until <time>",
      "when it ends by itself: 'tomorrow 08:00', 'Mon 08:00', '2026-11-21 02:00' in its zone, RFC 3339, 2h",
    ),
    flag("--reason <text>", "why, for people"),
  ],
  run: async (options, names, { clock }) => (await import("./run.ts")).runPause(targetsOf(names, options), clock),
});

/** The reverse of `pause`. */
export const addResumeCommand = command({
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
  argument: NAMES,
  options: [
    ...ACT,
    flag("--reason <text>", "only pauses with this reason"),
    flag("--by <user>", "the pauses of this user (default: your own)"),
  ],
  run: async (options, names, { clock }) => (await import("./run.ts")).runResume(targetsOf(names, options), clock),
});
