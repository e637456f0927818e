import { Command, CommanderError } from "commander";
import { messageOf } from "../telemetry/message_of.ts";
import { redact } from "../telemetry/redact.ts";
import { addAdoptCommand } from "./adopt/command.ts";
import { addBackfillCommand } from "./backfill/command.ts";
import { addBackupCommand, addRestoreCommand } from "./backup/command.ts";
import type { AddCommand } from "./command.ts";
import { addCompletionCommand } from "./completion/command.ts";
import { addControllerCommand } from "./controller/command.ts";
import { addDashboardCommand } from "./dashboard/command.ts";
import { ConfigError, FlagError, isUsageError, NoAnswerError } from "./errors.ts";
import { addExplainCommand } from "./explain/command.ts";
import { addHelpCommand } from "./help/command.ts";
import { LAUNCHD_LABEL, SERVICE_USAGE } from "./help/exit_codes.ts";
import { layOutHelp } from "./help/layout.ts";
import { addHelpNotes, type Example, type HelpNotes } from "./help/notes.ts";
import { addHistoryCommand } from "./history/command.ts";
import { addImportCommand } from "./import/command.ts";
import { addLintCommand } from "./lint/command.ts";
import { addLogsCommand } from "./logs/command.ts";
import { addManifestsCommand } from "./manifests/command.ts";
import { addNextCommand } from "./next/command.ts";
import { prepareOptions } from "./flags/options.ts";
import { addPauseCommand, addResumeCommand } from "./pause/command.ts";
import { CALLED_AS } from "./program_name.ts";
import { addReleaseCommand } from "./release/command.ts";
import { addServiceCommand } from "./service/command.ts";
import { complain } from "./print/complain.ts";
import { addSimulateCommand } from "./simulate/command.ts";
import { addStandaloneCommand } from "./standalone/command.ts";
import { addStatusCommand } from "./status/command.ts";
import { addTriggerCommand } from "./trigger/command.ts";
import { usageErrorText } from "./usage_error.ts";
import { addVersionCommand, versionText } from "./version.ts";

/** Exit codes of every command. */
export const EXIT = { ok: 0, failure: 1, usage: 2, serviceUsage: SERVICE_USAGE } as const;

/**
 * Runs one command line and gives the exit code. What went wrong is one line on standard error; a stack trace is for
 * faults of the program itself, not of its user.
 */
export async function main(args: string[], os: typeof Deno.build.os = Deno.build.os): Promise<number> {
  const program = createProgram(os);
  // Words that are to be completed are nothing to be parsed.
  if (CALLED_AS === undefined || args[0] === "__complete") {
    const { printCompletions } = await import("./completion/run.ts");
    await printCompletions(program, CALLED_AS === undefined ? args : args.slice(1));
    return EXIT.ok;
  }
  // Once a controller runs, it may no longer look.
  const tellsAll = Deno.env.get("CJC_LOG_LEVEL") === "debug";
  try {
    await program.parseAsync(args, { from: "user" });
    // A command that has said itself what it found leaves its exit code here.
    return Deno.exitCode;
  } catch (error) {
    // A reader that has seen enough, such as `head`.
    if (error instanceof Deno.errors.BrokenPipe) return EXIT.ok;
    if (error instanceof CommanderError) return commanderExit(error, args);
    complainOf(redact(messageOf(error)));
    if (tellsAll && error instanceof Error) console.error(redact(error.stack ?? ""));
    if (error instanceof FlagError) return usageExit(args);
    return isUsageError(error) || error instanceof NoAnswerError ? EXIT.usage : EXIT.failure;
  }
}

/** Returns the command line with all its commands; those that need POSIX are refused on Windows. */
export function createProgram(os: typeof Deno.build.os = Deno.build.os): Command {
  const program = layOutHelp(new Command(CALLED_AS))
    .description("Runs Kubernetes CronJobs: on a cluster, or on this machine with no cluster at all.")
    .usage("COMMAND [OPTIONS]")
    .version(versionText(), "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .helpCommand(false)
    .showSuggestionAfterError(true);
  addHelpNotes(program, notesFor(os));
  for (const [heading, commands] of GROUPS) {
    program.commandsGroup(heading);
    for (const add of commands) (os === "windows" ? IN_PLACE_ON_WINDOWS.get(add) ?? add : add)(program);
  }
  prepareOptions(program);
  return program;
}

/** The commands as help shows them. */
const GROUPS: readonly (readonly [heading: string, commands: readonly AddCommand[]])[] = [
  ["Most used:", [addStatusCommand, addExplainCommand, addTriggerCommand, addPauseCommand, addDashboardCommand]],
  ["Runs:", [addHistoryCommand, addLogsCommand, addResumeCommand, addBackfillCommand]],
  ["Manifests:", [addLintCommand, addNextCommand, addSimulateCommand, addImportCommand]],
  ["On this machine:", [addStandaloneCommand, addServiceCommand, addBackupCommand, addRestoreCommand]],
  ["On a cluster:", [addControllerCommand, addManifestsCommand, addAdoptCommand, addReleaseCommand]],
  ["This program:", [addCompletionCommand, addVersionCommand, addHelpCommand]],
];

const IN_PLACE_ON_WINDOWS = new Map([
  [addStandaloneCommand, refused("standalone")],
  [addServiceCommand, refused("service")],
  [addBackupCommand, refused("backup")],
  [addRestoreCommand, refused("restore")],
]);

/** Takes a command's place where it cannot work, to say why. */
function refused(name: string): AddCommand {
  return (program) =>
    program.command(name, { hidden: true }).helpOption(false).allowUnknownOption().allowExcessArguments().action(() => {
      throw new ConfigError(
        `${name} is not there on Windows: it runs containers as processes in the ways of Unix; use it under WSL`,
      );
    });
}

function notesFor(os: typeof Deno.build.os): HelpNotes {
  const first: Example = os === "windows"
    ? ["next '0 2 * * *' --time-zone Europe/Berlin", "when a schedule runs"]
    : ["standalone --apply-once deploy/samples", "run CronJobs here; kubectl works against it"];
  return {
    text: `
Every option can be given as an environment variable too: --log-level is CJC_LOG_LEVEL.

Exit codes: 0 done, 1 failed, 2 wrong usage. More: help exit-codes.`,
    examples: [first, ["controller", "reconcile the CronJobs of the cluster that your kubeconfig names"]],
  };
}

/** A service is started again after any other end: wrong flags stay wrong. */
function usageExit([command]: readonly string[]): number {
  if (command !== "standalone") return EXIT.usage;
  if (Deno.env.has("NOTIFY_SOCKET")) return EXIT.serviceUsage;
  // The name of the service that a process is of.
  return Deno.env.get("XPC_SERVICE_NAME") === LAUNCHD_LABEL ? EXIT.ok : EXIT.usage;
}

function commanderExit(error: CommanderError, args: readonly string[]): number {
  if (error.exitCode === 0) return EXIT.ok;
  const usage = usageExit(args);
  // A command that lacks its own command has printed its help.
  if (error.code === "commander.help") return usage;
  complainOf(usageErrorText(error, args));
  return usage;
}

function complainOf(message: string): void {
  // The words before it say the same as the number.
  complain(message.replaceAll(/ \(os error \d+\)/g, ""));
}
