import { Argument, InvalidArgumentError } from "commander";
import { RUNNERS, type State, STATES } from "../../view/cron_job_view.ts";
import { command } from "../command.ts";
import { answering } from "../errors.ts";
import { listOf, option, switchOption } from "../flags/options.ts";
import { CHOICE, choiceOf } from "../flags/choice.ts";
import { outputOption } from "../flags/output.ts";
import type { Format } from "./format.ts";
import type { StatusOptions } from "./run.ts";

const FORMATS: readonly Format[] = ["table", "wide", "json", "yaml", "name"];

/** How CronJobs are. */
export const addStatusCommand = command<Omit<StatusOptions, "names">>({
  name: "status",
  summary: "show how CronJobs are, the worst first: since when, why, and what comes next",
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
  argument: new Argument("[names...]", "of CronJobs"),
  options: [
    ...CHOICE,
    option("--only <states>", "only those in these states").argParser(states),
    option("--by <runners>", `only those that one of these runs: ${RUNNERS.join(", ")}`).argParser(listOf(RUNNERS)),
    switchOption("--all", "those that are fine too"),
    outputOption(FORMATS),
    switchOption("-w, --watch", "go on, and print all again once something has changed").conflicts("check"),
    switchOption("--check", "exit code 1 if anything needs attention, 2 if that is not known"),
  ],
  run: async (options, names, { clock }) => {
    const asked = choiceOf(names, options);
    const { runStatus } = await import("./run.ts");
    await answering(options.check, () => runStatus(asked, clock));
  },
});

/** `failing,BLOCKED` -> `["Failing", "Blocked"]`. */
function states(text: string): State[] {
  const inCamelCase = text.replaceAll(
    /[a-z]+/gi,
    (word) => STATES.find((state: State) => state.toLowerCase() === word.toLowerCase()) ?? word,
  );
  const found = listOf(STATES)(inCamelCase);
  if (found.length === 0) throw new InvalidArgumentError(`must name one at least of ${STATES.join(", ")}.`);
  return found;
}
