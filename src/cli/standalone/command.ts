import type { Command } from "commander";
import {
  addLogOptions,
  jobsOption,
  listOf,
  option,
  repeatable,
  switchOption,
  valuesOf,
  wholeNumber,
} from "../options.ts";
import { dataDirOption } from "../shared/data_dir.ts";
import { loopbackAddressOption } from "../shared/dashboard_address.ts";
import type { ControllerName, StandaloneOptions } from "./run.ts";
import { addHelpNotes, type HelpNotes } from "../help/notes.ts";

const NOTES: HelpNotes = {
  examples: [
    ["standalone --apply-once deploy/samples", "run CronJobs here; kubectl works against it"],
    ["standalone --ephemeral --port 0", "keep nothing, and take any free port"],
  ],
};

const CONTROLLERS: readonly ControllerName[] = [
  "cronjob",
  "production-cronjob",
  "batch-cronjob",
  "job",
  "kubelet",
  "gc",
  "ttl",
  "serviceaccount",
  "root-ca-cert-publisher",
];

/** Adds `standalone`, which runs everything on one machine. */
export function addStandaloneCommand(program: Command): void {
  const command = addHelpNotes(program.command("standalone"), NOTES)
    .summary("run CronJobs on this machine, with no cluster")
    .description(
      "Runs CronJobs on this machine: an embedded Kubernetes API (HTTPS on loopback) that kubectl works against, the " +
        "controllers, and a small kubelet. Containers run as plain processes with your own rights; their images are " +
        "recorded and ignored. Ctrl-C ends it and everything it started; started again, it goes on where it was.",
    )
    .addOption(dataDirOption("all that it keeps"))
    .addOption(
      switchOption(
        "--ephemeral",
        "keep objects in memory only, and the rest in a temporary folder unless --data-dir is given",
      ),
    )
    .addOption(
      option("--port <n>", "where the API listens; 0 takes any free port").argParser(wholeNumber(0, 65535)).default(
        6444,
      ),
    )
    .addOption(
      loopbackAddressOption(
        "--dashboard-address",
        "127.0.0.1:6445",
        "where the dashboard is served, on this machine only; 0: nowhere",
      ).env("CJC_DASHBOARD_ADDRESS"),
    )
    .addOption(
      option("--write-kubeconfig <file>", "write the kubeconfig there too; <data-dir>/kubeconfig is always written"),
    )
    .addOption(
      option(
        "--token-file <file>",
        'more users, a line each: token,user,uid,"group1,group2"; those in system:masters may do everything, others nothing',
      ),
    )
    .addOption(
      option("--audit-log-path <file>", "tell there of every request, as kube-apiserver does at level Metadata"),
    )
    .addOption(repeatable("--apply <file|dir>", "apply these manifests at every start"))
    .addOption(repeatable("--apply-once <file|dir>", "apply these manifests if the data dir is new, or --ephemeral"))
    .addOption(
      option(
        "--controllers <list>",
        `which to run, out of ${CONTROLLERS.join(", ")}; '' is a bare API server, which like gc alone has CronJobs ` +
          "besides Kubernetes' own only if manifests to apply need them",
      )
        .argParser(listOf(CONTROLLERS)).default([...CONTROLLERS], "all"),
    )
    .addOption(jobsOption("all"));
  addLogOptions(command).action(async (options: StandaloneOptions) => {
    // Loaded when it is wanted: other commands start faster without it.
    const { runStandalone } = await import("./run.ts");
    await runStandalone({
      ...options,
      apply: valuesOf(command, "apply"),
      applyOnce: valuesOf(command, "applyOnce"),
      dashboardIsAskedFor: command.getOptionValueSource("dashboardAddress") !== "default",
    });
  });
}
