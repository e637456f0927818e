import { type Command, Option } from "commander";
import { type Clock, SystemClock } from "../../base/clock.ts";
import { addHelpNotes, type HelpNotes } from "../help/notes.ts";
import { addActOptions, targetsOf } from "../shared/choice.ts";
import type { ResumeOptions } from "./run.ts";
import { addOptions } from "../options.ts";

const NOTES: HelpNotes = {
  text: `
It ends what you have paused yourself, and pauses after failures in a row. What another user has paused is left as it is, and
so is what a manifest says (spec.suspend, spec.pause). Of the runs that came due meanwhile the latest starts, unless onResume
is None.`,
  examples: [
    ["resume nightly-report", "what you have paused"],
    ["resume --all -n team-b --reason 'db migration'", "only what was paused for that"],
    ["resume nightly-report --by ana", "what another user has paused"],
  ],
};

/** Adds `resume`: the reverse of `pause`. */
export function addResumeCommand(program: Command, clock: Clock = new SystemClock()): void {
  addOptions(
    addHelpNotes(addActOptions(program.command("resume")), NOTES)
      .summary("follow the schedule again")
      .description("Resumes CronJobs that were paused by pause, or after failures in a row."),
    new Option("--reason <text>", "only pauses with this reason"),
    new Option("--by <user>", "the pauses of this user (default: your own)"),
  )
    .action(async (names: string[], options: Omit<ResumeOptions, "names">) => {
      const targets = targetsOf(names, options);
      const { runResume } = await import("./run.ts");
      await runResume(targets, clock);
    });
}
