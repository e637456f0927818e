import { Argument } from "commander";
import type { RuntimeName } from "../../kubelet/files/run_files.ts";
import { command } from "../command.ts";
import { flag, listOf, option, switchOption, wholeNumber } from "../flags/options.ts";
import { dataDirOption } from "../shared/data_dir.ts";

const RUNTIME_NAMES: readonly RuntimeName[] = ["process", "podman", "docker"];

const SYSTEM = switchOption("--system", "a service of the machine, not of yourself");

const addInstallCommand = command({
  name: "install",
  summary: "write the service, start it, and have it started from now on",
  text: `
PATH, LANG, LC_ALL and TZ are those of the shell that installs it; scripts get them too. Install it again to change
anything: the program is then restarted, and what runs goes on.`,
  examples: [
    ["service install -- --time-zone local --manifests ~/cron", "flags after -- are those of standalone"],
    ["service install --dry-run", "what would be written and called, without doing it"],
  ],
  argument: new Argument("[flags...]", "after --: flags of standalone"),
  options: [
    SYSTEM,
    option(
      "--run-as <user>",
      "with --system: with whose rights it and all containers run (default: the user who called sudo, else root)",
    ),
    switchOption("--dry-run", "print what would be written and called, and do nothing"),
  ],
  run: async (options, flags) => (await import("./run.ts")).install(options, flags),
});

const addStatusCommand = command({
  name: "status",
  summary: "print whether the service runs, and where everything is",
  examples: [["service status", "of your own"], ["service status --system", "of the machine's"]],
  options: [SYSTEM],
  run: async (options) => (await import("./run.ts")).status(options),
});

const addLogsCommand = command({
  name: "logs",
  summary: "print what the service wrote: runs, what containers put out, and its own log",
  examples: [
    ["service logs -f", "and what it goes on to write"],
    ["service logs --lines 1000", "more of what it has written"],
  ],
  options: [
    SYSTEM,
    switchOption("-f, --follow", "go on until Ctrl-C"),
    option("--lines <n>", "how many of the last lines").parsedBy(wholeNumber(0, 1_000_000), "100"),
  ],
  run: async (options) => (await import("./run.ts")).logs(options),
});

const addUninstallCommand = command({
  name: "uninstall",
  summary: "stop the service, end the containers that run, and remove what install has written",
  examples: [
    ["service uninstall", "end what runs, and keep CronJobs and logs for another install"],
    ["service uninstall --delete-data", "leave nothing behind"],
  ],
  options: [
    SYSTEM,
    switchOption("--delete-data", "delete CronJobs, Jobs, logs and all else in the data dir too"),
  ],
  run: async (options) => (await import("./run.ts")).uninstall(options),
});

const addEndContainersCommand = command({
  name: "end-containers",
  isHidden: true,
  summary: "end what a service has left running; called by uninstall with the rights of the service's user",
  argument: new Argument("[arguments...]", "of the container engine"),
  options: [
    dataDirOption("where it is known").mustBeGiven(),
    flag("--allowed <list>", "what Pods could choose among").parsedBy(listOf(RUNTIME_NAMES)).mustBeGiven(),
  ],
  run: async (options, engineArgs) => (await import("./left_containers.ts")).endContainers({ ...options, engineArgs }),
});

/** `standalone` as something that the machine keeps running. */
export const addServiceCommand = command({
  name: "service",
  summary: "keep standalone running without a terminal: as a service of systemd or launchd",
  text: `
It is a unit of systemd, or on macOS an agent of launchd: your own, or with --system one of the machine. Containers go on while
the program is restarted or upgraded; uninstall ends them.`,
  examples: [
    ["service install -- --manifests ~/cron", "run CronJobs from now on: those of a folder, which is followed"],
    ["service status", "whether it runs, since when, and where everything is"],
  ],
  commands: [addInstallCommand, addStatusCommand, addLogsCommand, addUninstallCommand, addEndContainersCommand],
});
