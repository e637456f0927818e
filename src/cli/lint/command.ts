import { Argument } from "commander";
import { command } from "../command.ts";
import { LINT_OPTIONS } from "./options.ts";

/** Finds errors of the CronJobs in manifests. */
export const addLintCommand = command({
  name: "lint",
  summary: "check the CronJobs in manifests, of all APIs, without a cluster",
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
  argument: new Argument("<path...>", "files, directories, or - for standard input"),
  options: LINT_OPTIONS,
  run: async (flags, paths, { clock }) => (await import("./run.ts")).runLint(paths, flags, clock.now()),
});
