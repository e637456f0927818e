import { type Command, InvalidArgumentError } from "commander";
import { type Clock, SystemClock } from "../../base/clock.ts";
import { RUNNERS, type State, STATES } from "../../view/cron_job_view.ts";
import { answering } from "../errors.ts";
import { addOptions, listOf, option, switchOption } from "../options.ts";
import { addChoice, choiceOf } from "../shared/choice.ts";
import type { Format } from "./format.ts";
import type { StatusOptions } from "./run.ts";
import { addHelpNotes, type HelpNotes } from "../help/notes.ts";
import { outputOption } from "../shared/output.ts";

const NOTES: HelpNotes = {
  text: `
States, worst first: ${STATES.join(", ")}.
Those up to Missed need attention; Blocked and Missed only once they last for two periods, at least 5 and at most 15
minutes, or a Pod cannot start. A run that waits in a Queue needs none. Where there are more than 50 CronJobs, those that wait, run or have ended are counted
only, unless --all, --only, --by or names are given.`,
  examples: [
    ["status", "the CronJobs of the context's namespace, worst first"],
    ["status -A --only failing,blocked", "those of every namespace that fail or are held back"],
    ["status -A --check", "for CI and monitoring: exit code 1 if anything needs attention"],
  ],
};

const FORMATS: readonly Format[] = ["table", "wide", "json", "yaml", "name"];

/** Adds `status`: how CronJobs are. */
export function addStatusCommand(program: Command, clock: Clock = new SystemClock()): void {
  const command = addHelpNotes(program.command("status"), NOTES)
    .summary("show how CronJobs are, the worst first")
    .description("Shows how CronJobs are: since when, why, and what comes next. The worst come first.");
  addOptions(
    addChoice(command, "[names...]"),
    option("--only <states>", "only those in these states").argParser(states),
    option("--by <runners>", `only those that one of these runs: ${RUNNERS.join(", ")}`).argParser(listOf(RUNNERS)),
    switchOption("--all", "those that are fine too"),
    outputOption(FORMATS),
    switchOption("-w, --watch", "go on, and print again what has changed"),
    switchOption("--check", "exit code 1 if anything needs attention, 2 if that is not known"),
  )
    .action(async (names: string[], options: Omit<StatusOptions, "names">) => {
      const asked = choiceOf(names, options);
      const { runStatus } = await import("./run.ts");
      await answering(options.check, () => runStatus(asked, clock));
    });
}

function states(text: string): State[] {
  const found = listOf(STATES)(inCamelCase(text));
  if (found.length === 0) throw new InvalidArgumentError(`must name one at least of ${STATES.join(", ")}.`);
  return found;
}

/** `failing,BLOCKED` -> `Failing,Blocked`. */
function inCamelCase(text: string): string {
  return text.replaceAll(/[a-z]+/gi, (word) => {
    const state = STATES.find((state: State) => state.toLowerCase() === word.toLowerCase());
    return state ?? word;
  });
}
