/** Of `standalone` under systemd in place of 2 for wrong flags, which no new start mends; the number is sysexits' EX_USAGE. */
export const SERVICE_USAGE = 64;

/** The service's name to launchd, which starts it again after any end but one with 0. */
export const LAUNCHD_LABEL = "dev.cronjob-controller";

/** The exit codes of all commands. */
export const EXIT_CODES = [
  { code: 0, meaning: "done" },
  { code: 1, meaning: "failed" },
  { code: 2, meaning: "wrong usage: nothing was done; with --check and --exit-code also: there was no answer" },
  {
    code: SERVICE_USAGE,
    meaning: "of standalone under systemd, in place of 2: wrong flags, which no new start mends; under launchd it is 0",
  },
] as const;

/** Commands, and options of theirs, that say something by their exit code. */
export const ANSWERS: readonly { readonly command: string; readonly 0: string; readonly 1: string }[] = [
  { command: "controller", 0: "stopped when asked to", 1: "also: the Lease was lost" },
  { command: "service status", 0: "it runs", 1: "it does not run" },
  { command: "status --check", 0: "all is well", 1: "something needs attention" },
  { command: "explain --exit-code", 0: "it ran, or is yet to run", 1: "it did not run, or failed" },
  { command: "trigger --follow", 0: "the run succeeded", 1: "it failed, or was not started" },
  { command: "resume", 0: "all that is meant is resumed", 1: "also: one that is named stays paused" },
  { command: "backfill --follow", 0: "every run succeeded", 1: "some did not" },
  { command: "next --filename", 0: "every schedule could be read", 1: "some could not" },
  { command: "simulate", 0: "no limit is exceeded", 1: "one is, or a manifest cannot be followed" },
  { command: "lint", 0: "nothing found that --fail-on names", 1: "something found" },
  { command: "import crontab", 0: "all was understood", 1: "something was not" },
];

/** Returns what the help of one command says of them. */
export function exitCodesOf(command: string): string[] {
  return ANSWERS.filter((answer) => answer.command === command || answer.command.startsWith(`${command} --`))
    .map((answer) => {
      const option = answer.command.slice(command.length + 1);
      return `Exit codes${option === "" ? "" : ` with ${option}`}: 0 ${answer[0]}, 1 ${answer[1]}.`;
    });
}
