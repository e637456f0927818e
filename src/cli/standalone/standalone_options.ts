import { InvalidArgumentError } from "commander";
import type { Flavour } from "../../cronjob/api/flavour.ts";
import type { ServerController } from "../../apiserver/server.ts";
import type { RuntimeName } from "../../kubelet/files/run_files.ts";
import type { OnStop } from "../../kubelet/kubelet.ts";
import {
  durationMs,
  jobsOption,
  listOf,
  LOG_OPTIONS,
  option,
  type OptionsOf,
  repeatable,
  switchOption,
  wholeNumber,
} from "../flags/options.ts";
import { ageMs, sizeBytes } from "../flags/amounts.ts";
import { loopbackAddress } from "../flags/listen.ts";
import { dataDirOption } from "../shared/data_dir.ts";
import { NOTIFY_ON_OPTION, PING_OPTIONS } from "../flags/receiver_options.ts";

export type ControllerName = Flavour["controllerName"] | ServerController | "job" | "kubelet" | "ttl";

/** `auto` stands for the first engine that works, else for processes. */
export type RuntimeChoice = RuntimeName | "auto";

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

/** The flags of `standalone`. */
export const STANDALONE_OPTIONS = [
  dataDirOption("all that it keeps"),
  switchOption(
    "--ephemeral",
    "keep objects in memory only, and the rest in a temporary folder unless --data-dir is given",
  ),
  option("--port <n>", "where the API listens; 0 takes any free port").parsedBy(wholeNumber(0, 65535), "6444"),
  option(
    "--dashboard-address <host:port>",
    "where the dashboard is served, on this machine only; 0: nowhere (default: 127.0.0.1:6445, unless that is taken)",
  ).parsedBy(loopbackAddress),
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
  ).parsedBy(listOf(CONTROLLERS)).byDefault([...CONTROLLERS], "all"),
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
  ).oneOf(["end", "leave"] satisfies OnStop[]).byDefault("end"),
  option(
    "--container-runtime <list>",
    `what containers run by, out of ${RUNTIMES.join(", ")}: a Pod chooses among these by the annotation ` +
      `cronjob-controller.dev/container-runtime, and the first is for those that don't choose; auto is podman or else docker where one works, else process`,
  ).parsedBy(listOf(RUNTIMES), "process"),
  option(
    "--container-runtime-args <args>",
    "arguments for podman, as before its subcommand system service, or --host or --context for docker, with blanks between " +
      "them; with both, of the one that is first; not with auto",
  ).parsedBy((text) => text.split(/\s+/).filter((word) => word !== "")).byDefault([], "none"),
  option(
    "--container-network <name>",
    "the engine's network for Pods, such as host or none (default: the engine's own)",
  ),
  repeatable(
    "--allow-host-path <path>",
    "let containers of podman or docker mount hostPath volumes under this path",
  ),
  switchOption(
    "--allow-privileged",
    "let containers of podman or docker be privileged: who creates Pods then has the engine's rights on the machine",
  ),
  repeatable(
    "--manifests <dir>",
    "keep the manifests in and below this folder applied: changes are followed, and what no file has any more is deleted",
  ),
  repeatable("--crontab <file>", "run the entries of this crontab as CronJobs, and follow its changes"),
  option("--keep-runs <age>", "how long runs and their logs are remembered after their Jobs are gone: 12h, 30d, 8w")
    .parsedBy(ageMs, "30d"),
  option("--keep-logs <size>", "how much of logs is remembered, the oldest of which go first: 500MiB, 1GiB")
    .parsedBy(sizeBytes, "1GiB"),
  option(
    "--on-failure <command>",
    "a command for your shell, run when a run has failed, or what else --notify-on names, with variables such as $MESSAGE, $EXIT_CODE and $LOG_FILE",
  ).parsedBy(shellCommand),
  option("--on-recovery <command>", "the same when the first run succeeds after failures that were reported")
    .parsedBy(shellCommand),
  NOTIFY_ON_OPTION,
  option("--hook-timeout <seconds|duration>", "after which such a command is ended, and all that it started")
    .parsedBy(durationMs(1_000, 3_600_000), "30s"),
  option(
    "--hook-interval <seconds|duration>",
    "failures of a CronJob that follow so soon on those reported last are reported together",
  ).parsedBy(durationMs(1_000, 86_400_000), "10m"),
  ...PING_OPTIONS,
  ...LOG_OPTIONS,
];

export type StandaloneOptions = OptionsOf<typeof STANDALONE_OPTIONS>;

/** An unset variable of a script must not leave failures unreported. */
function shellCommand(text: string): string {
  if (text.trim() === "") throw new InvalidArgumentError("must be a command.");
  return text;
}
