import { type Command, Option } from "commander";
import { type Clock, SystemClock } from "../../base/clock.ts";
import type { RuntimeName } from "../../kubelet/files/run_files.ts";
import type { Severity } from "../../lint/rules.ts";
import type { LintFormat } from "./format.ts";
import type { LintFlags } from "./run.ts";
import { addHelpNotes, type HelpNotes } from "../help/notes.ts";
import { outputOption } from "../shared/output.ts";
import { addOptions } from "../options.ts";

const NOTES: HelpNotes = {
  text: `
Errors are what the API server would refuse, and what would keep a CronJob from running; warnings are what surprises people:
dates that never come, steps that do not divide the hour, runs inside clock changes, runs that pile up, misspelled
annotations; hints are what to know, such as that times are of UTC. Each finding names its rule in brackets.

Of Pod templates only the fields are judged that a workstation carries out. "kubectl apply --dry-run=server" against the
cluster judges all, and kubeconform the names and types without a cluster.

A comment disables rules for the line that it stands behind or, alone on a line, for its document:
# cronjob-controller-lint disable=RULE,RULE`,
  examples: [
    ["lint manifests/", "every CronJob below a folder"],
    ["lint --fail-on warning manifests/", "warnings fail too, as for a pull request"],
    ["lint --disable no-time-zone -o json manifests/", "for programs, without the findings of a rule"],
  ],
};

const FORMATS: readonly LintFormat[] = ["text", "json", "github"];
const RUNTIMES: readonly RuntimeName[] = ["process", "podman", "docker"];
const FAIL_ON: readonly Severity[] = ["error", "warning", "hint"];

/** Adds `lint`: what is wrong with the CronJobs in manifests. */
export function addLintCommand(program: Command, clock: Clock = new SystemClock()): void {
  addOptions(
    addHelpNotes(program.command("lint"), NOTES)
      .summary("check the CronJobs in manifests, of all APIs, without a cluster")
      .description("Checks the CronJobs in manifests, of all APIs. No cluster is needed.")
      .argument("<path...>", "files, directories, or - for standard input"),
    outputOption(FORMATS),
    new Option("--fail-on <severity>", "the least that makes the exit code 1").choices(FAIL_ON).default("error"),
    new Option("--container-runtime <name>", "find what this runtime of standalone would refuse, too").choices(
      RUNTIMES,
    ),
    new Option("--disable <rule>", "leave out what a rule finds (repeatable)").default([], "none")
      .argParser<string[]>((rule, before) => [...before ?? [], rule]),
  )
    .action(async (paths: string[], flags: LintFlags) => {
      const { runLint } = await import("./run.ts");
      await runLint(paths, flags, clock.now());
    });
}
