import type { Account, Scope, ServiceDefinition } from "./definition.ts";

/** What a supervisor is called for: one that is installed is where it is, and can no longer be kept in another way. */
export type Purpose = "install" | "uninstall";

/** Where a service is installed. */
export interface Place {
  readonly scope: Scope;
  /** The file that describes it. */
  readonly file: string;
  /** Of who installs it. */
  readonly uid: number;
  readonly home: string;
}

export interface ServiceStatus {
  readonly isRunning: boolean;
  /** What people want to know, in order. */
  readonly lines: readonly (readonly [name: string, value: string])[];
}

/** What keeps a service running on an operating system, as text and command lines. Does nothing itself. */
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
  reach?(place: Place): { readonly probe: readonly string[]; readonly remedies: Readonly<Record<Purpose, string>> };
  /** Once the file is there: makes it start now and from now on. */
  install(place: Place): readonly (readonly string[])[];
  /** Stops it, and keeps it from starting again. */
  stop(place: Place): readonly (readonly string[])[];
  /** Succeeds while the service is still there, for a supervisor whose {@linkcode stop} does not wait for its end. */
  isLoaded?(place: Place): readonly string[];
  /** Once the file is gone. */
  forget(place: Place): readonly (readonly string[])[];
  status(place: Place): readonly string[];
  readStatus(text: string): ServiceStatus;
  logs(place: Place, options: { readonly follow: boolean; readonly lines: number }): readonly string[];
}
