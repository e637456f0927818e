import { type Command, Option } from "commander";
import { type Clock, SystemClock } from "../../runtime/clock.ts";
import { LINT_FORMATS } from "./format.ts";
import type { LintFlags } from "./run.ts";
import { addHelpNotes, type HelpNotes } from "../help/notes.ts";

const NOTES: HelpNotes = {
  text: `
Errors are what the API server would refuse, and what would keep a CronJob from running; warnings are what surprises people:
dates that never come, runs inside clock changes, day-of-month OR day-of-week, runs that pile up, Jobs that are kept for ever,
many CronJobs at the top of the hour.`,
  examples: [
    ["lint manifests/", "every CronJob below a folder"],
    ["lint --fail-on warning manifests/", "warnings fail too, as for a pull request"],
  ],
};

/** Adds `lint`: what is wrong with the CronJobs in manifests. */
export function addLintCommand(program: Command, clock: Clock = new SystemClock()): void {
  addHelpNotes(program.command("lint"), NOTES)
    .description("check the CronJobs in manifests, of all APIs, without a cluster")
    .argument("<path...>", "files, directories, or - for standard input")
    .addOption(new Option("-o, --output <format>", "how to print").choices(Object.keys(LINT_FORMATS)).default("text"))
    .addOption(
      new Option("--fail-on <severity>", "the least that makes the exit code 1").choices(["error", "warning"]).default(
        "error",
      ),
    )
    .action(async (paths: string[], flags: LintFlags) => {
      // Loaded when it is wanted: other commands start faster without it.
      const { runLint } = await import("./run.ts");
      await runLint(paths, flags, clock.now());
    });
}
