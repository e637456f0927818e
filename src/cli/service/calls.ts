import { messageOf } from "../../telemetry/message_of.ts";
import { ConfigError } from "../errors.ts";
import { ignoreMissing } from "../shared/files.ts";
import type { Place, Purpose, Supervisor } from "./supervisor.ts";

/** In which surroundings a program is called, if not in ours. */
type Surroundings = Pick<Deno.CommandOptions, "cwd" | "clearEnv" | "env">;

/** Calls a program whose output goes to the terminal. @throws {Error} where it cannot be called, or fails */
export async function callShown(command: readonly string[], surroundings?: Surroundings): Promise<void> {
  const { code } = await spawned(command, "inherit", surroundings);
  if (code !== 0) throw new Error(`${command.join(" ")} ended with exit code ${code}`);
}

/** Calls a program that may fail. */
export async function callQuietly(command: readonly string[]): Promise<void> {
  await spawned(command, "null");
}

/** @throws {ConfigError} where the supervisor takes no calls, as before a login or in a container */
export async function assertReached({ reach }: Supervisor, place: Place, purpose: Purpose): Promise<void> {
  const { probe, remedies } = reach?.(place) ?? {};
  if (probe === undefined || await succeeds(probe)) return;
  throw new ConfigError(`Cannot reach systemd (${probe.join(" ")} fails): ${remedies?.[purpose]}`);
}

/**
 * Makes the calls that install a service. The last of them starts the program, so that a supervisor says of that one alone
 * that the program did not start; the program says why in what `logs` shows.
 */
export async function callToInstall(calls: readonly (readonly string[])[], logs: string): Promise<void> {
  for (const [index, call] of calls.entries()) {
    try {
      await callShown(call);
    } catch (cause) {
      if (index < calls.length - 1) throw cause;
      throw new Error(`${messageOf(cause)}; what the program says of it: ${logs}`, { cause });
    }
  }
}

/** Calls a program, and returns whether it ends well. */
export async function succeeds(command: readonly string[]): Promise<boolean> {
  return (await spawned(command, "null")).success;
}

/** Returns what a program prints, also where it fails; nothing where it is missing. */
export async function outputOf([program = "", ...args]: readonly string[]): Promise<string> {
  const command = new Deno.Command(program, { args, stdin: "null", stderr: "null" });
  try {
    return new TextDecoder().decode((await command.output()).stdout);
  } catch (error) {
    // One that is missing is said at once, not by the promise.
    return ignoreMissing(error) ?? "";
  }
}

async function spawned(
  [program = "", ...args]: readonly string[],
  output: "inherit" | "null",
  surroundings: Surroundings = {},
): Promise<Deno.CommandStatus> {
  try {
    const options = { ...surroundings, args, stdin: "null", stdout: output, stderr: output } as const;
    return await new Deno.Command(program, options).spawn().status;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new ConfigError(
      `There is no ${program} on this machine: without systemd or launchd, have something else keep standalone running`,
    );
  }
}
