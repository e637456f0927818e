import type { SessionRequest } from "../../kube/container_session.ts";

/** Engines hold back the first of the keys by which their users leave, Ctrl-P, until the next one is there. */
const NO_DETACH = "--detach-keys=";

/**
 * Returns the engine's arguments that connect a client with a container.
 *
 * @param mark a variable by which the processes of a command are found
 */
export function sessionArguments(container: string, mark: string, { command, stdin, tty }: SessionRequest): string[] {
  if (!command) return ["attach", NO_DETACH, ...stdin ? [] : ["--no-stdin"], "--sig-proxy=false", container];
  return [
    "exec",
    NO_DETACH,
    "--env",
    mark,
    ...stdin ? ["--interactive"] : [],
    ...tty ? ["--tty"] : [],
    container,
    ...command,
  ];
}
