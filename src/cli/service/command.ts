import { type Command, Option } from "commander";
import type { RuntimeName } from "../../kubelet/files/run_files.ts";
import { addHelpNotes, type HelpNotes } from "../help/notes.ts";
import { addOptions, listOf, option, switchOption, wholeNumber } from "../options.ts";
import { dataDirOption } from "../shared/data_dir.ts";
import type { ServiceOptions } from "./run.ts";
import { readStandaloneFlags } from "./standalone_flags.ts";

const NOTES: HelpNotes = {
  text: `
It is a unit of systemd, or on macOS an agent of launchd: your own, or with --system one of the machine. Containers go on while
the program is restarted or upgraded; uninstall ends them.`,
  examples: [
    ["service install -- --manifests ~/cron", "run CronJobs from now on: those of a folder, which is followed"],
    ["service status", "whether it runs, since when, and where everything is"],
  ],
};

const INSTALL_NOTES: HelpNotes = {
  text: `
PATH, LANG, LC_ALL and TZ are those of the shell that installs it; scripts get them too. Install it again to change
anything: the program is then restarted, and what runs goes on.`,
  examples: [
    ["service install -- --time-zone local --manifests ~/cron", "flags after -- are those of standalone"],
    ["service install --dry-run", "what would be written and called, without doing it"],
  ],
};

const STATUS_NOTES: HelpNotes = {
  examples: [
    ["service status", "of your own"],
    ["service status --system", "of the machine's"],
  ],
};

const LOGS_NOTES: HelpNotes = {
  examples: [
    ["service logs -f", "and what it goes on to write"],
    ["service logs --lines 1000", "more of what it has written"],
  ],
};

const UNINSTALL_NOTES: HelpNotes = {
  examples: [
    ["service uninstall", "end what runs, and keep CronJobs and logs for another install"],
    ["service uninstall --delete-data", "leave nothing behind"],
  ],
};

const RUNTIME_NAMES: readonly RuntimeName[] = ["process", "podman", "docker"];

/** Adds `service`: `standalone` as something that the machine keeps running. */
export function addServiceCommand(program: Command): void {
  const service = addHelpNotes(program.command("service"), NOTES)
    .summary("keep standalone running: as a service of systemd or launchd")
    .helpCommand(false)
    .description("Keeps standalone running on this machine, without a terminal.");
  addInstall(service);
  addHelpNotes(service.command("status"), STATUS_NOTES)
    .summary("print whether the service runs")
    .description("Prints whether the service runs, and where everything is.")
    .addOption(systemSwitch())
    .action(async (options: Pick<ServiceOptions, "system">) => (await run()).status(options));
  addOptions(
    addHelpNotes(service.command("logs"), LOGS_NOTES)
      .summary("print what the service wrote")
      .description("Prints what the service wrote: runs, what containers put out, and its own log."),
    systemSwitch(),
    switchOption("-f, --follow", "go on until Ctrl-C"),
    option("--lines <n>", "how many of the last lines").argParser(wholeNumber(0, 1_000_000)).default(100),
  )
    .action(async (options: Pick<ServiceOptions, "system"> & { follow: boolean; lines: number }) =>
      (await run()).logs(options)
    );
  addOptions(
    addHelpNotes(service.command("uninstall"), UNINSTALL_NOTES)
      .summary("stop the service, and remove what install has written")
      .description("Stops the service, ends the containers that run, and removes what install has written."),
    systemSwitch(),
    switchOption("--delete-data", "delete CronJobs, Jobs, logs and all else in the data dir too"),
  )
    .action(async (options: Pick<ServiceOptions, "system"> & { deleteData: boolean }) =>
      (await run()).uninstall(options)
    );
  addOptions(
    service.command("end-containers", { hidden: true })
      .description("Ends what a service has left running; called by uninstall with the rights of the service's user.")
      .argument("[arguments...]", "of the container engine"),
    dataDirOption("where it is known").makeOptionMandatory(),
    new Option("--allowed <list>", "what Pods could choose among").argParser(listOf(RUNTIME_NAMES))
      .makeOptionMandatory(),
  )
    .action(async (engineArgs: string[], options: { dataDir: string; allowed: RuntimeName[] }) =>
      await (await import("./left_containers.ts")).endContainers({ ...options, engineArgs })
    );
}

function addInstall(service: Command): void {
  addOptions(
    addHelpNotes(service.command("install"), INSTALL_NOTES)
      .summary("write the service, start it, and have it started from now on")
      .description("Writes the service, starts it, and has it started from now on.")
      .argument("[flags...]", "after --: flags of standalone"),
    systemSwitch(),
    option(
      "--run-as <user>",
      "with --system: with whose rights it and all containers run (default: the user who called sudo, else root)",
    ),
    switchOption("--dry-run", "print what would be written and called, and do nothing"),
  )
    .action(async (flags: string[], options: ServiceOptions) => {
      await (await run()).install({ ...options, flags, standalone: readStandaloneFlags(flags) });
    });
}

function systemSwitch() {
  return switchOption("--system", "a service of the machine, not of yourself");
}

async function run() {
  return await import("./run.ts");
}
