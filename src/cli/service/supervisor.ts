import type { RuntimeName } from "../../kubelet/files/run_files.ts";

/** The owner of a service: the user who installs it, or the machine. */
export type Scope = "user" | "system";

/** A user of the machine. */
export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
  readonly shell: string;
}

/** Containers that go on without the service, and how an engine is called for them. */
export interface LeftContainers {
  readonly dataDir: string;
  readonly engineArgs: readonly string[];
  /** The engines that Pods could choose among: the arguments are of the first one; of any engine where none is named. */
  readonly allowed: readonly RuntimeName[];
}

/** The program that is to run, and its surroundings. */
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

/** The settings that an installed service was given. */
export interface Installed extends Pick<ServiceDefinition, "environment" | "left"> {
  /** With whose rights it runs. Absent for a service of the caller. */
  readonly user?: string;
}

/** Where a service is installed. */
export interface Place {
  readonly scope: Scope;
  /** The file that describes it. */
  readonly file: string;
  /** Of the caller. */
  readonly uid: number;
  readonly home: string;
}

/** The supervisor of services on an operating system, as text and command lines. Does nothing itself. */
export interface Supervisor {
  file(scope: Scope, env: { get(name: string): string | undefined }): string;
  /** Where a service of the machine keeps everything by default. */
  readonly systemDataDir: string;
  render(definition: ServiceDefinition): string;
  /** Flags of `standalone` that the service needs; flags of the user's count before them. */
  flags(place: Place): readonly string[];
  /** The words before a command line that have root run it with the rights of a user, and with its own variables. */
  as(account: Account): readonly string[];
  /** Succeeds where the supervisor takes calls, for one that need not be there; and what to do where it does not. */
  reach?(place: Place): { readonly probe: readonly string[]; readonly remedy: string };
  /** Once the file is there: makes it start now and from now on. */
  install(place: Place): readonly (readonly string[])[];
  /** Stops it, and keeps it from starting again. */
  stop(place: Place): readonly (readonly string[])[];
  /** Succeeds while the service is still there, for a supervisor whose {@linkcode stop} does not wait for its end. */
  isLoaded?(place: Place): readonly string[];
  /** Once the file is gone. */
  forget(place: Place): readonly (readonly string[])[];
  /** Prints lines with a name, `=` and a value. */
  status(place: Place): readonly string[];
  /** The lines that people want to know, with names for them, the state first. */
  readonly statusLines: readonly (readonly [name: string, printed: string])[];
  /** The state of a service that runs. */
  readonly running: string;
  logs(place: Place, options: { readonly follow: boolean; readonly lines: number }): readonly string[];
}

/** Returns what `uninstall` needs, as a line for a comment. A comment of XML takes no two dashes, so none stands in it. */
export function noteOf({ scope, account, environment, left }: ServiceDefinition): string {
  const installed: Installed = { left, environment, ...scope === "system" && { user: account.name } };
  return `Installed: ${JSON.stringify(installed).replaceAll("-", "\\u002d")}`;
}

/** Reads the note in a service's file. Undefined where there is none. */
export function readNote(text: string): Installed | undefined {
  const [, json] = /Installed: (\{.*\})/.exec(text) ?? [];
  return json === undefined ? undefined : JSON.parse(json);
}

/** Returns whether the service runs, and what people want to know of it, out of what {@linkcode Supervisor.status} prints. */
export function readStatus({ statusLines, running }: Supervisor, text: string) {
  const lines = statusLines.flatMap(([name, printed]) => {
    const value = new RegExp(`^\\s*${printed} ?= ?(.+)$`, "m").exec(text)?.[1];
    return value === undefined || value === "0" ? [] : [[name, value] as const];
  });
  return lines.length === 0
    ? { isRunning: false, lines: [[statusLines[0]![0], "unknown"] as const] }
    : { isRunning: lines[0]![1] === running, lines };
}
