import { Argument, Option } from "commander";
import { command } from "../command.ts";
import { ACT, targetsOf } from "../flags/choice.ts";
import type { PauseOptions } from "./run.ts";

/** No runs by the schedule for a while. */
export const addPauseCommand = command<Omit<PauseOptions, "names">>({
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
  argument: new Argument("[names...]", "of CronJobs"),
  options: [
    ...ACT,
    new Option(
      "--until <time>",
      "when it ends by itself: 'tomorrow 08:00', 'Mon 08:00', '2026-11-21 02:00' in its zone, RFC 3339, 2h",
    ),
    new Option("--reason <text>", "why, for people"),
  ],
  run: async (options, names, { clock }) => (await import("./run.ts")).runPause(targetsOf(names, options), clock),
});
