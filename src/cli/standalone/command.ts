import type { Command } from "commander";
import {
  addLogOptions,
  addOptions,
  jobsOption,
  listOf,
  option,
  repeatable,
  switchOption,
  wholeNumber,
} from "../options.ts";
import { dataDirOption } from "../shared/data_dir.ts";
import type { OnStop } from "../../kubelet/kubelet.ts";
import { loopbackAddressOption } from "../shared/dashboard_address.ts";
import { addFileOptions } from "./file_options.ts";
import type { RuntimeChoice } from "./container_runtimes.ts";
import { addKeepOptions } from "./keep_options.ts";
import type { ControllerName } from "./controllers.ts";
import type { StandaloneOptions } from "./run.ts";
import { addPingOptions } from "../shared/ping_options.ts";
import { addHookOptions } from "./hook_options.ts";
import { addHelpNotes, type HelpNotes } from "../help/notes.ts";

const NOTES: HelpNotes = {
  examples: [
    ["standalone --apply-once deploy/samples", "run CronJobs here; kubectl works against it"],
    ["standalone --manifests ./cron-jobs --crontab ./crontab", "follow a folder of manifests, and a crontab"],
    ["standalone --ephemeral --port 0", "keep nothing, and take any free port"],
  ],
};

const RUNTIMES: readonly RuntimeChoice[] = ["process", "podman", "docker", "auto"];

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
  const command = addOptions(
    addHelpNotes(program.command("standalone"), NOTES)
      .summary("run CronJobs on this machine, with no cluster")
      .description(
        "Runs CronJobs on this machine: an embedded Kubernetes API (HTTPS on loopback) that kubectl works against, the " +
          "controllers, and a small kubelet. Containers run as plain processes with your own rights, and their images are " +
          "recorded and ignored, unless --container-runtime says otherwise. Ctrl-C ends it and everything it started; started again, it goes on where it was.",
      ),
    dataDirOption("all that it keeps"),
    switchOption(
      "--ephemeral",
      "keep objects in memory only, and the rest in a temporary folder unless --data-dir is given",
    ),
    option("--port <n>", "where the API listens; 0 takes any free port").argParser(wholeNumber(0, 65535)).default(
      6444,
    ),
    loopbackAddressOption(
      "--dashboard-address",
      "127.0.0.1:6445",
      "where the dashboard is served, on this machine only; 0: nowhere",
    ).env("CJC_DASHBOARD_ADDRESS"),
    option("--write-kubeconfig <file>", "write the kubeconfig there too; <data-dir>/kubeconfig is always written"),
    option(
      "--token-file <file>",
      'more users, a line each: token,user,uid,"group1,group2"; those in system:masters may do everything, others nothing',
    ),
    option("--audit-log-path <file>", "record there every request, as kube-apiserver does at level Metadata"),
    option(
      "--log-file <file>",
      "write there what else is printed; beyond 10 MiB it becomes <file>.1, in place of a former one",
    ),
    repeatable("--apply <file|dir>", "apply these manifests at every start"),
    repeatable("--apply-once <file|dir>", "apply these manifests if the data dir is new, or --ephemeral"),
    option(
      "--controllers <list>",
      `which to run, out of ${CONTROLLERS.join(", ")}; '' is a bare API server, which like gc alone has CronJobs ` +
        "besides Kubernetes' own only if manifests to apply need them",
    )
      .argParser(listOf(CONTROLLERS)).default([...CONTROLLERS], "all"),
    jobsOption("all"),
    option(
      "--time-zone <local|zone>",
      "written into new CronJobs without timeZone: the zone of this machine, or one such as Europe/Berlin; containers " +
        "and the console go by it too (default: none, which means UTC)",
    ),
    option(
      "--on-stop <what>",
      "what becomes of running containers when the program is asked to stop: end them, or leave them running, for the " +
        "next start to take them up",
    ).choices(["end", "leave"] satisfies OnStop[]).default("end"),
  );
  addRuntimeOptions(command);
  addFileOptions(command);
  addKeepOptions(command);
  addPingOptions(addHookOptions(command));
  addLogOptions(command).action(async () => {
    const { runStandalone } = await import("./run.ts");
    await runStandalone(standaloneOptionsOf(command));
  });
}

/** Returns what a command line says that `command` has parsed. */
export function standaloneOptionsOf(command: Command): StandaloneOptions {
  return {
    ...command.opts<StandaloneOptions>(),
    dashboardIsAskedFor: command.getOptionValueSource("dashboardAddress") !== "default",
  };
}

/** What runs containers, and what they may have. */
function addRuntimeOptions(command: Command): void {
  addOptions(
    command,
    option(
      "--container-runtime <list>",
      `what containers run by, out of ${RUNTIMES.join(", ")}: a Pod chooses among these by the annotation ` +
        `cronjob-controller.dev/container-runtime, and the first is for those that don't choose; auto is podman or else docker where one works, else process`,
    ).argParser(listOf(RUNTIMES)).default(["process"], "process").env("CJC_CONTAINER_RUNTIME"),
    option(
      "--container-runtime-args <args>",
      "arguments for podman, as before its subcommand system service, or --host or --context for docker, with blanks between " +
        "them; with both, of the one that is first; not with auto",
    )
      .argParser((text) => text.split(/\s+/).filter((word) => word !== "")).default([], "none")
      .env("CJC_CONTAINER_RUNTIME_ARGS"),
    option("--container-network <name>", "the engine's network for Pods, such as host or none").default(
      undefined,
      "the engine's own default",
    ),
    repeatable(
      "--allow-host-path <path>",
      "let containers of podman or docker mount hostPath volumes under this path",
    ),
    switchOption(
      "--allow-privileged",
      "let containers of podman or docker be privileged: who creates Pods then has the engine's rights on the machine",
    ),
  );
}
