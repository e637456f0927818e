import { Argument, InvalidArgumentError } from "commander";
import { command } from "../command.ts";
import { ConfigError } from "../errors.ts";
import { option, switchOption, wholeNumber } from "../flags/options.ts";
import { TARGETS, targetsOf } from "../flags/choice.ts";
import type { ObjectName } from "../../kube/object.ts";

/** The reverse of `adopt`. */
export const addReleaseCommand = command({
  name: "release",
  summary: "give adopted CronJobs back to kube-controller-manager",
  text: `
It prints and makes the edits. The controller lets go of a CronJob between two runs: its Jobs become those of
kube-controller-manager, and spec.suspend says what the annotation cronjob-controller.dev/suspend said. Where no controller
answers in time, this command does it. It can be interrupted and run again at any time.

With --finalizers, no CronJob is released. Jobs lose the finalizer cronjob-controller.dev/never-twice, which keeps them
in deletion while no controller runs. Jobs that a controller starts later get it again: where it is about to end,
--after-lease waits for that, for as long as --timeout says. --namespace takes several names here, with commas between.`,
  examples: [
    ["release nightly-report --dry-run", "what would change, without changing it"],
    ["release --all --all-namespaces --timeout 0", "everything, where the controller is gone"],
    ["release --finalizers --all --all-namespaces", "Jobs that stay in deletion, as the controller is gone"],
  ],
  argument: new Argument("[names...]", "of batch/v1 CronJobs"),
  options: [
    ...TARGETS,
    option("--timeout <seconds>", "how long to wait for the controller before doing it without")
      .parsedBy(wholeNumber(0, 3600), "10"),
    switchOption("--finalizers", "take the finalizer of neverTwice from all Jobs instead, of every API"),
    option("--after-lease <namespace/name>", "with --finalizers, once no controller holds this Lease")
      .parsedBy(leaseName),
  ],
  run: async ({ finalizers, afterLease, ...options }, names, { clock }) => {
    const targets = targetsOf(names, options);
    if (afterLease && !finalizers) throw new ConfigError("Give --after-lease with --finalizers only");
    if (!finalizers) return await (await import("./run.ts")).runRelease(targets, clock);
    if (!options.all) throw new ConfigError("Give --all with --finalizers, which is about Jobs, not CronJobs");
    await (await import("./free_names.ts")).runFreeNames({ ...targets, afterLease }, clock);
  },
});

function leaseName(text: string): ObjectName {
  const [namespace, name, ...others] = text.split("/");
  if (!namespace || !name || others.length > 0) throw new InvalidArgumentError("must be NAMESPACE/NAME.");
  return { namespace, name };
}
