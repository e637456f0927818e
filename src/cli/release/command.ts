import { type Command, InvalidArgumentError } from "commander";
import { ConfigError } from "../errors.ts";
import { option, switchOption, wholeNumber } from "../options.ts";
import { addTargets, targetsOf } from "../shared/choice.ts";
import type { LeaseName } from "../shared/lease_holder.ts";
import type { ReleaseOptions } from "./run.ts";
import { addHelpNotes, type HelpNotes } from "../help/notes.ts";

const NOTES: HelpNotes = {
  text: `
The controller lets go of a CronJob between two runs: its Jobs become those of kube-controller-manager, and spec.suspend
says what the annotation cronjob-controller.dev/suspend said. Where no controller answers in time, this command does it.
It can be interrupted and run again at any time.

With --finalizers, no CronJob is released. Jobs lose the finalizer cronjob-controller.dev/never-twice, which keeps them
in deletion while no controller runs. Jobs that a controller starts later get it again: where it is about to end,
--after-lease waits for that, for as long as --timeout says. --namespace takes several names here, with commas between.`,
  examples: [
    ["release nightly-report --dry-run", "what would change, without changing it"],
    ["release --all --all-namespaces --timeout 0", "everything, where the controller is gone"],
    ["release --finalizers --all --all-namespaces", "Jobs that stay in deletion, as the controller is gone"],
  ],
};

interface Finalizers {
  readonly finalizers: boolean;
  readonly afterLease?: LeaseName;
}

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
    .addOption(switchOption("--finalizers", "take the finalizer of neverTwice from all Jobs instead, of every API"))
    .addOption(
      option("--after-lease <namespace/name>", "with --finalizers, once no controller holds this Lease").argParser(
        leaseName,
      ),
    )
    .action(
      async (names: string[], { finalizers, afterLease, ...options }: Omit<ReleaseOptions, "names"> & Finalizers) => {
        const targets = targetsOf(names, options);
        if (afterLease && !finalizers) throw new ConfigError("Give --after-lease with --finalizers only");
        if (finalizers) {
          if (!options.all) throw new ConfigError("Give --all with --finalizers, which is about Jobs, not CronJobs");
          const { runFreeNames } = await import("./free_names.ts");
          return await runFreeNames({ ...targets, afterLease });
        }
        const { runRelease } = await import("./run.ts");
        await runRelease(targets);
      },
    );
}

function leaseName(text: string): LeaseName {
  const [namespace, name, ...others] = text.split("/");
  if (!namespace || !name || others.length > 0) throw new InvalidArgumentError("must be NAMESPACE/NAME.");
  return { namespace, name };
}
