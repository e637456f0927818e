import type { RuntimeName } from "../../kubelet/files/run_files.ts";

/** Whose service it is: of the user who installs it, or of the machine. */
export type Scope = "user" | "system";

/** What is to run, and in which surroundings. */
export interface ServiceDefinition {
  readonly scope: Scope;
  /** The program's absolute path, then its arguments. */
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly workingDirectory: string;
  readonly left: LeftContainers;
  /** With whose rights it runs. */
  readonly account: Account;
}

/** Containers that go on without the service, and how an engine is called for them. */
export interface LeftContainers {
  readonly dataDir: string;
  readonly engineArgs: readonly string[];
  /** The engines that Pods could choose among: the arguments are of the first one; of any engine where none is named. */
  readonly allowed: readonly RuntimeName[];
}

/** The settings that an installed service was given. */
export interface Installed extends Pick<ServiceDefinition, "environment" | "left"> {
  /** With whose rights it runs. Absent for a service of the caller. */
  readonly user?: string;
}

/** A user of the machine. */
export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
  readonly shell: string;
}

/** Taken over from the shell that installs the service, as far as they are set there. */
const FROM_SHELL = ["PATH", "LANG", "LC_ALL", "TZ"];

/**
 * Returns the environment of the service: what scripts expect, as a login would set it for the account, and what of the
 * shell counts for them.
 *
 * @param others variables of the shell that count for the program
 */
export function serviceEnvironment(
  account: Account,
  shell: { get(name: string): string | undefined },
  others: readonly string[],
): Record<string, string> {
  const taken = [...FROM_SHELL, ...others].flatMap((name) => {
    const value = shell.get(name);
    return value ? [[name, value]] : [];
  });
  return {
    USER: account.name,
    LOGNAME: account.name,
    HOME: account.home,
    // Hooks are run by it.
    SHELL: runsNothing(account.shell) ? "/bin/sh" : account.shell,
    ...Object.fromEntries(taken),
  };
}

/** Returns whether a shell is that of an account without a login, and runs no command. */
function runsNothing(shell: string): boolean {
  return /(?:^|\/)(?:nologin|false|true|sync)$/.test(shell);
}

/** Returns the command line of the service. The data dir is the last flag, so that it counts as it was resolved. */
export function serviceCommand(
  program: readonly string[],
  dataDir: string,
  flags: readonly string[],
  ofSupervisor: readonly string[],
): string[] {
  return [...program, "standalone", "--on-stop", "leave", ...ofSupervisor, ...flags, "--data-dir", dataDir];
}

/** Reads a line of the user database, as `getent passwd` and macOS' `id -P` print it. */
export function parseAccount(line: string): Account | undefined {
  const fields = line.trim().split(":");
  const [name, , uid, gid] = fields;
  const [home, shell] = fields.slice(-2);
  if (fields.length < 7 || !name || !home || !/^\d+$/.test(uid ?? "") || !/^\d+$/.test(gid ?? "")) return undefined;
  return { name, uid: Number(uid), gid: Number(gid), home, shell: shell || "/bin/sh" };
}
