import { type Command, InvalidArgumentError } from "commander";
import { addOptions, durationMs, option } from "../options.ts";

/** Commands of the user's that report runs. */
export interface HookOptions {
  onFailure?: string;
  onRecovery?: string;
  /** Milliseconds, as the next. */
  hookTimeout: number;
  hookInterval: number;
}

/** Adds the flags of `HookOptions`. */
export function addHookOptions(command: Command): Command {
  return addOptions(
    command,
    option(
      "--on-failure <command>",
      "a command for your shell, run when a run has failed, with variables such as $MESSAGE, $EXIT_CODE and $LOG_FILE",
    ).argParser(shellCommand),
    option("--on-recovery <command>", "the same when the first run succeeds after failures that were reported")
      .argParser(shellCommand),
    option("--hook-timeout <seconds|duration>", "after which such a command is ended, and all that it started")
      .argParser(durationMs(1_000, 3_600_000)).default(30_000, "30s"),
    option(
      "--hook-interval <seconds|duration>",
      "failures of a CronJob that follow so soon on those reported last are reported together",
    ).argParser(durationMs(1_000, 86_400_000)).default(600_000, "10m"),
  );
}

/** An unset variable of a script must not leave failures unreported. */
function shellCommand(text: string): string {
  if (text.trim() === "") throw new InvalidArgumentError("must be a command.");
  return text;
}
