import { spawn } from "node:child_process";
import { statSync } from "node:fs";
import { StartError } from "../runtime.ts";
import type { TerminalSize } from "../../kube/container_session.ts";

/**
 * Said by the shim of a container with standard input, whose path is in `__cjc_in`. It is a named pipe, so that it outlives
 * this program. A process beside the command holds its writing end, or the first client that leaves would end the input;
 * that process waits for a line of the pipe `….end`. The shim opens that one first, so that a line is kept there whenever
 * a client comes. `….size` carries the sizes of a terminal; it ends with the shim, and the terminal with it.
 */
export const OPEN_INPUT = `if [ -n "$__cjc_in" ]; then
  exec 6<>"$__cjc_in.end"
  exec 4<>"$__cjc_in"
  ( read -r _ <&6 ) </dev/null &
  exec <"$__cjc_in" 4>&-
  if [ -p "$__cjc_in.size" ]; then exec 5<>"$__cjc_in.size" 3<"$__cjc_in.size"; fi
fi`;

/** Writes a client's input. With `once`, the container's input ends with the client's. */
export const WRITE_INPUT = `trap : HUP
cat >"$1"
if [ "$2" = once ]; then echo 1<>"$1.end"; fi`;

/**
 * Makes the named pipes of a container's standard input, unless they are there.
 *
 * @throws {StartError} if they cannot be made
 */
export function makeInput(path: string, { tty }: { readonly tty: boolean }): void {
  const paths = [path, `${path}.end`, ...tty ? [`${path}.size`] : []].filter((each) => !isPipe(each));
  if (paths.length === 0) return;
  const { success, stderr } = new Deno.Command("mkfifo", { args: ["-m", "600", ...paths], stdin: "null" }).outputSync();
  if (!success) throw new StartError(`Cannot make standard input: ${new TextDecoder().decode(stderr).trim()}`);
}

/** Has no effect if the container has ended. */
export function resizeTerminal(path: string, { width, height }: TerminalSize): void {
  writeLine(`${path}.size`, `${height} ${width}`);
}

/** Ends the container's input, for a client that left before {@linkcode WRITE_INPUT} could. */
export function endInput(path: string): void {
  writeLine(`${path}.end`, "");
}

function writeLine(path: string, line: string): void {
  const write = `[ -p "$1" ] && echo "$2" 1<>"$1"`;
  const args = ["-c", write, "cronjob-controller", path, line];
  spawn("/bin/sh", args, { stdio: "ignore" }).once("error", () => {});
}

function isPipe(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFIFO() ?? false;
}
