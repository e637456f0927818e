import type { Command } from "commander";
import { option, wholeNumber } from "../options.ts";
import { addTargets, targetsOf } from "../shared/choice.ts";
import type { ReleaseOptions } from "./run.ts";
import { addHelpNotes, type HelpNotes } from "../help/notes.ts";

const NOTES: HelpNotes = {
  text: `
The controller lets go of a CronJob between two runs: its Jobs become those of kube-controller-manager, and spec.suspend
says what the annotation cronjob-controller.dev/suspend said. Where no controller answers in time, this command does it.
It can be interrupted and run again at any time.`,
  examples: [
    ["release nightly-report --dry-run", "what would change, without changing it"],
    ["release --all --all-namespaces --timeout 0", "everything, where the controller is gone"],
  ],
};

/** Adds `release`: the reverse of `adopt`. */
export function addReleaseCommand(program: Command): void {
  addHelpNotes(addTargets(program.command("release"), "of batch/v1 CronJobs"), NOTES)
    .summary("give adopted CronJobs back to kube-controller-manager")
    .description("Prints and makes the edits that give adopted CronJobs back to kube-controller-manager.")
    .addOption(
      option("--timeout <seconds>", "how long to wait for the controller before doing it without").argParser(
        wholeNumber(0, 3600),
      ).default(10),
    )
    .action(async (names: string[], options: Omit<ReleaseOptions, "names">) => {
      const targets = targetsOf(names, options);
      const { runRelease } = await import("./run.ts");
      await runRelease(targets);
    });
}
