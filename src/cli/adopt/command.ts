import type { Command } from "commander";
import { addHelpNotes, type HelpNotes } from "../help/notes.ts";
import { switchOption } from "../options.ts";
import { addTargets, targetsOf } from "../shared/choice.ts";
import type { AdoptOptions } from "./run.ts";

const NOTES: HelpNotes = {
  text: `
To kube-controller-manager an adopted CronJob is suspended, so it starts nothing; "controller --api batch/v1 --managed-only"
runs it. Its own pause is the annotation cronjob-controller.dev/suspend: "true", which one that was suspended gets. Jobs that
run go on, and are taken over. That a controller is there is seen by its Lease. Adopting what is adopted changes nothing; release undoes it.`,
  examples: [
    ["adopt nightly-report --dry-run", "what would change, without changing it"],
    ["adopt --all --namespace team-a", "every CronJob of a namespace"],
  ],
};

/** Adds `adopt`: CronJobs that this program is to run in kube-controller-manager's place. */
export function addAdoptCommand(program: Command): void {
  addHelpNotes(addTargets(program.command("adopt"), "of batch/v1 CronJobs"), NOTES)
    .addOption(
      switchOption("--force", "also where no controller is to be seen that would run what is adopted"),
    )
    .summary("run CronJobs in kube-controller-manager's place")
    .description(
      "Prints and makes the edits by which this program runs batch/v1 CronJobs in kube-controller-manager's place.",
    )
    .action(async (names: string[], options: Omit<AdoptOptions, "names">) => {
      const targets = targetsOf(names, options);
      const { runAdopt } = await import("./run.ts");
      await runAdopt(targets);
    });
}
