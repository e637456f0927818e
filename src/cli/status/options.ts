import { InvalidArgumentError } from "commander";
import { RUNNERS, type State, STATES } from "../../view/cron_job_view.ts";
import { listOf, option, type OptionsOf, switchOption } from "../flags/options.ts";
import { CHOICE, type Choice } from "../flags/choice.ts";
import { outputOption } from "../flags/output.ts";

/** The flags of `status`. */
export const STATUS_OPTIONS = [
  ...CHOICE,
  option("--only <states>", "only those in these states").parsedBy(states),
  option("--by <runners>", `only those that one of these runs: ${RUNNERS.join(", ")}`).parsedBy(listOf(RUNNERS)),
  switchOption("--all", "those that are fine too"),
  outputOption(["table", "wide", "json", "yaml", "name"]),
  switchOption("-w, --watch", "go on, and print all again once something has changed").conflicts("check"),
  switchOption("--check", "exit code 1 if anything needs attention, 2 if that is not known"),
];

export type StatusOptions = Choice & OptionsOf<typeof STATUS_OPTIONS>;

/** `failing,BLOCKED` -> `["Failing", "Blocked"]`. */
function states(text: string): State[] {
  const found = listOf(STATES)(text);
  if (found.length === 0) throw new InvalidArgumentError(`must name one at least of ${STATES.join(", ")}.`);
  return found;
}
