import { Command, CommanderError } from "commander";
import { messageOf } from "../telemetry/message_of.ts";
import { redact } from "../telemetry/redact.ts";
import { addAdoptCommand } from "./adopt/command.ts";
import { addBackfillCommand } from "./backfill/command.ts";
import { addBackupCommand } from "./backup/command.ts";
import { addControllerCommand } from "./controller/command.ts";
import { addDashboardCommand } from "./dashboard/command.ts";
import { ConfigError, isUsageError } from "./errors.ts";
import { addExplainCommand } from "./explain/command.ts";
import { addHistoryCommand } from "./history/command.ts";
import { addLintCommand } from "./lint/command.ts";
import { addLogsCommand } from "./logs/command.ts";
import { addManifestsCommand } from "./manifests/command.ts";
import { addNextCommand } from "./next/command.ts";
import { addPauseCommand } from "./pause/command.ts";
import { addReleaseCommand } from "./release/command.ts";
import { addRestoreCommand } from "./restore/command.ts";
import { addResumeCommand } from "./resume/command.ts";
import { addStandaloneCommand } from "./standalone/command.ts";
import { addStatusCommand } from "./status/command.ts";
import { addTriggerCommand } from "./trigger/command.ts";
import { insteadOf } from "./unknown_options.ts";
import { addVersionCommand, versionText } from "./version.ts";

/** Exit codes of every command. */
export const EXIT = { ok: 0, failure: 1, usage: 2 } as const;

/**
 * Runs one command line and gives the exit code. What went wrong is one line on standard error; a stack trace is for
 * faults of the program itself, not of its user.
 */
export async function main(args: string[], os: typeof Deno.build.os = Deno.build.os): Promise<number> {
  const program = createProgram(os);
  // Once a controller runs, it may no longer look.
  const tellsAll = Deno.env.get("CJC_LOG_LEVEL") === "debug";
  try {
    await program.parseAsync(args, { from: "user" });
    // A command that has said itself what it found leaves its exit code here.
    return Deno.exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return commanderExit(error, program);
    complain(redact(messageOf(error)));
    if (tellsAll && error instanceof Error) console.error(redact(error.stack ?? ""));
    return isUsageError(error) ? EXIT.usage : EXIT.failure;
  }
}

export function createProgram(os: typeof Deno.build.os = Deno.build.os): Command {
  const program = new Command("cronjob-controller")
    .description("Runs Kubernetes CronJobs: on a cluster, or on this machine with no cluster at all.")
    .usage("COMMAND [OPTIONS]")
    .version(versionText(), "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help, or with a command that command's")
    .showSuggestionAfterError(true)
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .addHelpText("after", helpEpilogue(os));
  const posix = os !== "windows";
  (posix ? addStandaloneCommand : refusedOnWindows("standalone"))(program);
  addControllerCommand(program);
  addStatusCommand(program);
  addExplainCommand(program);
  addHistoryCommand(program);
  addLogsCommand(program);
  addDashboardCommand(program);
  addTriggerCommand(program);
  addPauseCommand(program);
  addResumeCommand(program);
  addBackfillCommand(program);
  addAdoptCommand(program);
  addReleaseCommand(program);
  addManifestsCommand(program);
  (posix ? addBackupCommand : refusedOnWindows("backup"))(program);
  (posix ? addRestoreCommand : refusedOnWindows("restore"))(program);
  addNextCommand(program);
  addLintCommand(program);
  addVersionCommand(program);
  for (const command of program.commands) command.exitOverride().configureOutput({ writeErr: () => {} });
  return program;
}

/** Takes a command's place where it cannot work, to say why. */
function refusedOnWindows(name: string): (program: Command) => void {
  return (program) =>
    program.command(name, { hidden: true }).helpOption(false).allowUnknownOption().allowExcessArguments().action(() => {
      throw new ConfigError(
        `${name} is not there on Windows: it runs containers as processes in the ways of Unix; use it under WSL`,
      );
    });
}

function helpEpilogue(os: typeof Deno.build.os): string {
  const standalone = `
  cronjob-controller standalone --apply-once deploy/samples
                                 run CronJobs here; kubectl works against it`;
  return `
Try it:${os === "windows" ? "" : standalone}
  cronjob-controller controller  reconcile the CronJobs of the cluster that your kubeconfig names

Every option can be given as an environment variable too: --log-level is CJC_LOG_LEVEL.
Exit codes: 0 done, 1 failed, 2 wrong usage.`;
}

function commanderExit(error: CommanderError, program: Command): number {
  if (error.exitCode === 0) return EXIT.ok;
  if (error.code === "commander.help") console.error(program.helpInformation());
  else {
    const message = error.message.replace(/^error: /, "").replaceAll("\n", " ");
    complain(`${message}${instead(error)} (see --help)`);
  }
  return EXIT.usage;
}

function instead({ code, message }: CommanderError): string {
  const text = code === "commander.unknownOption" ? insteadOf(message) : undefined;
  return text ? `: ${text}` : "";
}

function complain(message: string): void {
  console.error(`cronjob-controller: ${message}`);
}
