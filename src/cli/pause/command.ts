import { type Command, Option } from "commander";
import { type Clock, SystemClock } from "../../base/clock.ts";
import { addHelpNotes, type HelpNotes } from "../help/notes.ts";
import { addActOptions, targetsOf } from "../shared/choice.ts";
import type { PauseOptions } from "./run.ts";
import { addOptions } from "../options.ts";

const NOTES: HelpNotes = {
  text: `
The annotation cronjob-controller.dev/pause says who paused a CronJob, why and until when. One that is paused already is left
as it is. Active runs go on, and a run by hand is possible. A batch/v1 CronJob that kube-controller-manager may run is
suspended instead, without an end; adopt makes one possible.`,
  examples: [
    ["pause nightly-report --until 'Mon 08:00' --reason 'db migration'", "as its own clock says"],
    ["pause --all -n team-b --until 2h", "all CronJobs of a namespace, for two hours"],
  ],
};

/** Adds `pause`. */
export function addPauseCommand(program: Command, clock: Clock = new SystemClock()): void {
  addOptions(
    addHelpNotes(addActOptions(program.command("pause")), NOTES)
      .summary("start nothing on schedule for a while")
      .description("Pauses CronJobs: nothing starts on schedule until they are resumed, or until a time."),
    new Option(
      "--until <time>",
      "when it ends by itself: 'tomorrow 08:00', 'Mon 08:00', '2026-11-21 02:00' in its zone, RFC 3339, 2h",
    ),
    new Option("--reason <text>", "why, for people"),
  )
    .action(async (names: string[], options: Omit<PauseOptions, "names">) => {
      const targets = targetsOf(names, options);
      const { runPause } = await import("./run.ts");
      await runPause(targets, clock);
    });
}
