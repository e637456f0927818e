import { Argument, type Command, InvalidArgumentError } from "commander";
import type { JobChanges } from "../../actions/job_by_hand.ts";
import { command } from "../command.ts";
import { flag, switchOption } from "../flags/options.ts";
import { ACT, targetsOf } from "../flags/choice.ts";

/** A run by hand. */
export const addTriggerCommand = command({
  name: "trigger",
  summary: "run CronJobs now, whatever their schedules say, also while they are paused",
  text: `
The controller starts the run, as the concurrency policy allows, and counts it. With --set or arguments, and for a batch/v1
CronJob that kube-controller-manager may run, the Job is created at once, whatever the policy says, as by kubectl create job
--from. Arguments take the place of those of the first container, or of the one that the Pod template's annotation
kubectl.kubernetes.io/default-container names; a shell's -c string has them as "$@", and where it reads none they are refused.
--set is for all containers.`,
  examples: [
    ["trigger nightly-report --follow", "run it now; exit code 1 if the run fails"],
    ["trigger report --set DAY=2026-11-20 -- --verbose", "with another environment and other arguments"],
  ],
  usage: "[options] [names...] [-- ARGS...]",
  argument: new Argument("[names...]", "of CronJobs"),
  options: [
    ...ACT,
    switchOption("--follow", "print what the run writes, until it has ended: exit code 1 if it failed").conflicts(
      "dryRun",
    ),
    flag("--set <name=value>", "an environment variable of this run (repeatable)")
      .parsedBy<JobChanges["env"]>((text, previous = []) => [...previous, variableOf(text)]).byDefault([], "none"),
  ],
  run: async (options, words, { clock, command }) => {
    const names = words.slice(0, words.length - argumentsAfter(command));
    const targets = targetsOf(names, { ...options, args: words.slice(names.length) });
    await (await import("./run.ts")).runTrigger(targets, clock);
  },
});

/** Returns how many arguments follow `--`, which commander takes away. */
function argumentsAfter({ parent }: Command): number {
  const words = (parent as Command & { rawArgs: string[] }).rawArgs;
  const dashes = words.indexOf("--");
  return dashes < 0 ? 0 : words.length - dashes - 1;
}

function variableOf(text: string): { name: string; value: string } {
  const [, name, value = ""] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined) throw new InvalidArgumentError("must be NAME=VALUE.");
  return { name, value };
}
