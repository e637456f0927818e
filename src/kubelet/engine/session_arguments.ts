import type { SessionRequest } from "../../kube/container_session.ts";

/** Engines hold back the first of the keys by which their users leave, Ctrl-P, until the next one is there. */
const NO_DETACH = "--detach-keys=";

/**
 * Returns the engine's arguments that run a command in a container for a client.
 *
 * @param mark a variable by which the processes of a command are found
 */
export function sessionArguments(container: string, mark: string, { command, stdin, tty }: SessionRequest): string[] {
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
