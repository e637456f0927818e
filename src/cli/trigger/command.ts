import { type Command, InvalidArgumentError, Option } from "commander";
import type { JobChanges } from "../../actions/job_by_hand.ts";
import { type Clock, SystemClock } from "../../base/clock.ts";
import { addOptions, switchOption } from "../options.ts";
import { addHelpNotes, type HelpNotes } from "../help/notes.ts";
import { addActOptions, targetsOf } from "../shared/choice.ts";
import type { TriggerOptions } from "./run.ts";

const NOTES: HelpNotes = {
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
};

/** Adds `trigger`: a run by hand. */
export function addTriggerCommand(program: Command, clock: Clock = new SystemClock()): void {
  addOptions(
    addHelpNotes(addActOptions(program.command("trigger")), NOTES)
      .usage("[options] [names...] [-- ARGS...]")
      .summary("run a CronJob now")
      .description("Runs CronJobs now, whatever their schedules say, and also while they are paused."),
    switchOption("--follow", "print what the run writes, until it has ended: exit code 1 if it failed"),
    new Option("--set <name=value>", "an environment variable of this run (repeatable)").default([], "none")
      .argParser<JobChanges["env"]>((text, previous) => [...previous ?? [], variableOf(text)]),
  )
    .action(async (operands: string[], options: Omit<TriggerOptions, "names" | "args">, command: Command) => {
      const count = argumentsAfter(command);
      const names = operands.slice(0, operands.length - count);
      const args = operands.slice(operands.length - count);
      const targets = targetsOf(names, { ...options, args });
      const { runTrigger } = await import("./run.ts");
      await runTrigger(targets, clock);
    });
}

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
