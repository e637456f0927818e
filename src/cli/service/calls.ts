import type { Clock } from "../../base/clock.ts";
import { messageOf } from "../../telemetry/message_of.ts";
import { ConfigError } from "../errors.ts";
import { ignoreMissing } from "../shared/files.ts";
import type { Place, Supervisor } from "./supervisor.ts";

type Options = Pick<Deno.CommandOptions, "cwd" | "clearEnv" | "env">;

/** Calls a program whose output goes to the terminal. @throws {Error} where it cannot be called, or fails */
export async function callShown(command: readonly string[], options?: Options): Promise<void> {
  const { code } = await spawned(command, "inherit", options);
  if (code !== 0) throw new Error(`${command.join(" ")} ended with exit code ${code}`);
}

/** Calls a program that may fail, and returns whether it ends well. */
export async function succeeds(command: readonly string[]): Promise<boolean> {
  return (await spawned(command, "null")).success;
}

/** @throws {ConfigError} where the supervisor takes no calls, as before a login or in a container */
export async function assertReached({ reach }: Supervisor, place: Place): Promise<void> {
  const { probe, remedy } = reach?.(place) ?? {};
  if (probe === undefined || await succeeds(probe)) return;
  throw new ConfigError(`Cannot reach systemd (${probe.join(" ")} fails): ${remedy}`);
}

/**
 * Makes the calls that install a service. The last of them starts the program, so that a supervisor says of that one alone
 * that the program did not start; the program says why in what `logs` shows.
 */
export async function callToInstall(calls: readonly (readonly string[])[], logs: string): Promise<void> {
  for (const call of calls.slice(0, -1)) await callShown(call);
  await callShown(calls.at(-1)!).catch((cause) => {
    throw new Error(`${messageOf(cause)}; what the program says of it: ${logs}`, { cause });
  });
}

const GONE_WITHIN_MS = 30_000;

/** Stops the service, and resolves once its supervisor has let go of it. */
export async function stopService(
  supervisor: Supervisor,
  place: Place,
  clock: Pick<Clock, "monotonic" | "sleep">,
): Promise<void> {
  const probe = supervisor.isLoaded?.(place);
  for (const call of supervisor.stop(place)) await (probe ? succeeds(call) : callShown(call));
  if (!probe) return;
  const deadline = clock.monotonic() + GONE_WITHIN_MS;
  while (await succeeds(probe)) {
    if (clock.monotonic() > deadline) throw new Error(`The service does not stop: ${probe.join(" ")} still shows it`);
    await clock.sleep(200);
  }
}

/** Returns what a program prints, also where it fails; nothing where it is missing. */
export async function outputOf([program = "", ...args]: readonly string[]): Promise<string> {
  const command = new Deno.Command(program, { args, stdin: "null", stderr: "null" });
  try {
    return new TextDecoder().decode((await command.output()).stdout);
  } catch (error) {
    // A missing program is reported at once, not by the promise.
    return ignoreMissing(error) ?? "";
  }
}

async function spawned(
  [program = "", ...args]: readonly string[],
  output: "inherit" | "null",
  options?: Options,
): Promise<Deno.CommandStatus> {
  try {
    return await new Deno.Command(program, { ...options, args, stdin: "null", stdout: output, stderr: output }).spawn()
      .status;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new ConfigError(
      `There is no ${program} on this machine: without systemd or launchd, have something else keep standalone running`,
    );
  }
}
