import { isAlive, type ProcessIdentity, readProc } from "./identity.ts";
import { OWN_WORDS } from "./shim.ts";
import { readShellVariables } from "./shell_variables.ts";

/**
 * Returns the environment that a shim was started with, which is its command's.
 *
 * @throws where the system does not say, as after a restart of the program on macOS
 */
export function environmentOf(shim: ProcessIdentity): Record<string, string> {
  const unknown = "Cannot run a command with the container's environment: it started before the program did";
  if (Deno.build.os !== "linux") throw new Error(`${unknown}, and only Linux has kept it`);
  const [environment, words] = ["environ", "cmdline"].map((file) => readProc(`${shim.pid}/${file}`).split("\0"));
  // Its pid may be another's by now.
  if (!isAlive(shim)) throw new Error(`${unknown}, and has ended`);
  return readShellVariables(environment!, words!.slice(OWN_WORDS));
}
